// Tables of who allocated what is alive, and of what grows. `summary` is the table
// of nodes that the nodes' links lead to.
function torchprofMemory(data, box, summary) {
  const add = (parent, tag, content) => {
    const element = document.createElement(tag);
    element.textContent = content || "";
    parent.appendChild(element);
    return element;
  };
  const link = (cell) => {
    const [site] = cell.getData().sites;
    const element = document.createElement(summary.nameOf(site) ? "a" : "span");
    element.textContent = cell.getValue();
    if (element.tagName === "A") {
      element.href = "#summary";
      element.addEventListener("click", (event) => {
        event.preventDefault();
        summary.show(site);
      });
    }
    return element;
  };
  // Of "/home/me/net.py:42" what tells rows apart.
  const fileAndLine = (cell) => {
    const element = document.createElement("span");
    element.textContent = cell.getValue().split("/").pop();
    return element;
  };
  const column = (info) => {
    const shown = { title: info.title, field: info.id, headerTooltip: true };
    if (info.type !== "text")
      return Object.assign(shown, torchprofNumberColumn(info.title), {
        formatter: info.type === "percent" ? torchprofShare
          : (cell) => torchprofValue(cell.getData(), info),
      });
    return Object.assign(shown, info.id === "node"
      ? { minWidth: 240, widthGrow: 3, formatter: link }
      : { minWidth: 160, formatter: fileAndLine, tooltip: true });
  };
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
