// What the tables' columns of numbers have in common. Each is wide enough for
// its title and the arrow beside it.
function torchprofNumberColumn(title) {
  return {
    title, hozAlign: "right", headerHozAlign: "right", sorter: "number",
    headerSortStartingDir: "desc", minWidth: Math.max(86, 46 + 8 * title.length),
  };
}
// A bar behind a percentage.
function torchprofShare(cell) {
  const value = cell.getValue();
  if (value === null || value === undefined) return "-";
  const width = Math.min(100, Math.max(0, value)).toFixed(1);
  return '<span class="share"><i style="width:' + width + '%"></i><span>' +
    torchprofFixed(value, 2) + "%</span></span>";
}

// A column of a table as the data describes it. Tabulator would guess how to sort
// it from the first row, which may have no value.
function torchprofColumn(info) {
  const shown = { title: info.title, field: info.id, headerTooltip: true };
  return info.type === "text" ? Object.assign(shown, { sorter: "string" })
    : Object.assign(shown, torchprofNumberColumn(info.title), {
      formatter: info.type === "percent" ? torchprofShare
        : (cell) => torchprofValue(cell.getData(), info),
    });
}
// An element with a text, which no library takes for markup.
function torchprofElement(tag, content) {
  const element = document.createElement(tag);
  element.textContent = content || "";
  return element;
}
// A tooltip with the whole text of a cell, which Tabulator would take for markup.
function torchprofWhole(event, cell) {
  return cell.getValue() ? torchprofElement("div", cell.getValue()) : "";
}
// An element in `parent`.
function torchprofAdd(parent, tag, content) {
  return parent.appendChild(torchprofElement(tag, content));
}

// The table of nodes. Its columns are those that the data names. Returns what
// other parts of the page do with it.
function torchprofSummary(data, parts) {
  // Pixels for the longest text of a column, within limits: what is cut off are
  // the ends, by which rows differ.
  const limits = {
    kind: [90, 260], name: [90, 300], model: [86, 200], method: [96, 200],
    module: [94, 220],
  };
  const named = data.columns.map((info) => info.id).filter((id) => limits[id]);
  const wanted = named.map((id) => data.rows.reduce((width, row) =>
    Math.min(Math.max(width, 24 + 7.5 * (row[id] || "").length), limits[id][1]),
    limits[id][0]));
  // Names leave room for the times beside them. Where even their least is too much,
  // as on a phone, the table is scrolled.
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const least = sum(named.map((id) => limits[id][0]));
  const tableWidth = parts.table.clientWidth;
  const share = Math.min(1, Math.max(0,
    (0.55 * tableWidth - least) / Math.max(1, sum(wanted) - least)));
  const looks = {
    source: { minWidth: 120, visible: false },
    shapes: { minWidth: 150 },
    out_shapes: { minWidth: 116 },
    calls: { minWidth: 70 },
    gflops_s: { minWidth: 96 },
  };
  named.forEach((id, i) => {
    const minWidth = Math.floor(limits[id][0] + share * (wanted[i] - limits[id][0]));
    looks[id] = { minWidth };
    // What is scrolled keeps its kind beside it, unless that hides the rest.
    if (id === "kind") looks[id].frozen = minWidth < 0.4 * tableWidth;
  });
  looks.module.widthGrow = 2;
  const column = (info) => Object.assign(torchprofColumn(info),
    info.type === "text" ? { tooltip: torchprofWhole } : {}, looks[info.id]);
  for (const row of data.rows) row.site = row.sites[0];
  const table = new Tabulator(parts.table, {
    data: data.rows, index: "site", layout: "fitColumns", maxHeight: "32rem",
    initialSort: [{ column: "total_ns", dir: "desc" }],
    columns: data.columns.map(column),
  });
  let only = null; // the sites that were asked for
  const refilter = () => {
    const wanted = parts.filter.value.toLowerCase();
    table.setFilter((row) => (!only || only.has(row.site)) &&
      [row.kind, row.name, row.model || "", row.method || "", row.module, row.source]
        .some((value) => value.toLowerCase().includes(wanted)));
    parts.all.hidden = !only;
  };
  const choose = (sites) => {
    only = sites;
    parts.filter.value = "";
    refilter();
  };
  parts.filter.addEventListener("input", refilter);
  parts.all.addEventListener("click", () => choose(null));
  parts.source.addEventListener("click", () => table.toggleColumn("source"));

  const names = new Map(data.rows.map((row) =>
    [row.site, [row.kind, row.name, row.model, row.method, row.module]
      .filter((n) => n).join(" ")]));
  // A row that is drawn again loses the focus.
  let marked = null;
  table.on("renderComplete", () => {
    if (marked && document.activeElement === document.body)
      marked.focus({ preventScroll: true });
  });
  const goTo = () => parts.table.closest("section").scrollIntoView();
  return {
    // "aten::conv2d x.1 conv", with the model and the method in front of the module
    // where several ran
    nameOf: (site) => names.get(site),
    // A link that marks the row of a site and goes there.
    linkTo(site, text) {
      const link = torchprofElement("a", text);
      link.href = "#summary";
      link.addEventListener("click", (event) => {
        event.preventDefault();
        this.show(site);
      });
      return link;
    },
    // Marks the row of a site and goes there.
    async show(site) {
      if (!table.getRows("active").some((row) => row.getIndex() === site))
        choose(null);
      table.deselectRow();
      table.selectRow(site);
      goTo();
      // A table that comes into view draws itself again some frames later, and
      // would scroll back.
      await new Promise((resolve) => setTimeout(resolve, 80));
      await table.scrollToRow(site, "center", true);
      marked = table.getRow(site).getElement();
      marked.tabIndex = -1;
      marked.focus({ preventScroll: true });
    },
    // Hides the rows of all other sites.
    showOnly(sites) {
      choose(new Set(sites));
      goTo();
    },
  };
}
