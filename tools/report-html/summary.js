// What the tables' columns of numbers have in common.
const torchprofNumberColumn = {
  hozAlign: "right", headerHozAlign: "right", sorter: "number",
  headerSortStartingDir: "desc", minWidth: 86,
};
// A bar behind a percentage.
function torchprofShare(cell) {
  const value = cell.getValue();
  if (value === null || value === undefined) return "-";
  const width = Math.min(100, Math.max(0, value)).toFixed(1);
  return '<span class="share"><i style="width:' + width + '%"></i><span>' +
    value.toFixed(2) + "%</span></span>";
}

// The table of nodes. Its columns are those that the data names.
function torchprofSummary(data, parts) {
  const looks = {
    kind: { minWidth: 130, frozen: true },
    name: { minWidth: 90 },
    module: { minWidth: 130, widthGrow: 2 },
    source: { minWidth: 120, visible: false },
    shapes: { minWidth: 150 },
    out_shapes: { minWidth: 106 },
    calls: { minWidth: 70 },
    gflops_s: { minWidth: 96 },
  };
  // An element, because the library takes a text for markup.
  const whole = (event, cell) => {
    if (!cell.getValue()) return "";
    const box = document.createElement("div");
    box.textContent = cell.getValue();
    return box;
  };
  const column = (info) => {
    const shown = { title: info.title, field: info.id, headerTooltip: true };
    if (info.type === "text")
      return Object.assign(shown, { tooltip: whole }, looks[info.id]);
    return Object.assign(shown, torchprofNumberColumn, {
      formatter: info.type === "percent" ? torchprofShare
        : (cell) => torchprofValue(cell.getData(), info),
    }, looks[info.id]);
  };
  const table = new Tabulator(parts.table, {
    data: data.rows, layout: "fitColumns", maxHeight: "32rem",
    initialSort: [{ column: "total_ns", dir: "desc" }],
    columns: data.columns.map(column),
  });
  parts.filter.addEventListener("input", () => {
    const wanted = parts.filter.value.toLowerCase();
    table.setFilter((row) => [row.kind, row.name, row.module, row.source]
      .some((value) => value.toLowerCase().includes(wanted)));
  });
  parts.source.addEventListener("click", () => table.toggleColumn("source"));
}
