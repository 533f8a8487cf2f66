// Tables of who allocated what is alive, and of what grows. `summary` is the table
// of nodes that the nodes' links lead to.
function torchprofMemory(data, box, summary) {
  const add = torchprofAdd;
  const plain = (content) => torchprofElement("span", content);
  const node = (cell) => {
    const [site] = cell.getData().sites;
    return summary.nameOf(site) ? summary.linkTo(site, cell.getValue())
      : plain(cell.getValue());
  };
  // Of "/home/me/net.py:42" what tells rows apart.
  const fileAndLine = (cell) => plain(cell.getValue().split("/").pop());
  const looks = {
    node: { minWidth: 240, widthGrow: 3, formatter: node },
    source: { minWidth: 160, formatter: fileAndLine, tooltip: torchprofWhole },
  };
  const column = (info) => Object.assign(torchprofColumn(info), looks[info.id]);
  for (const table of data.memory) {
    add(box, "h3", table.title);
    add(box, "p", table.foot.join(" · ")).className = "facts";
    // Sources that nobody knows are no column.
    const columns = table.columns.filter((info) => info.id !== "source" ||
      table.rows.some((row) => row.source.length > 1));
    new Tabulator(add(box, "div"), {
      data: table.rows, layout: "fitColumns", maxHeight: "26rem",
      columns: columns.map(column),
    });
  }
}
