// Fills the report page from the JSON in #data.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const text = (tag, content, parent) => torchprofAdd(parent, tag, content);

  document.title = data.title + " - torchprof";
  byId("title").textContent = data.title;
  byId("facts").textContent = data.facts.join(" · ");
  for (const [label, value, note] of data.cards) {
    const card = text("div", "", byId("cards"));
    card.className = "card";
    text("b", value, card);
    text("span", label, card);
    if (note) text("small", note, card);
  }
  for (const note of data.notes) text("p", note, byId("notes"));

  // Sections that most profiles lack.
  const reveal = (id) => {
    byId(id).hidden = false;
    document.querySelector(`nav a[href="#${id}"]`).hidden = false;
  };

  const summary = torchprofSummary(data, {
    table: byId("summary-table"), filter: byId("filter"),
    all: byId("show-all"), source: byId("show-source"),
  });
  if (data.advice.length) {
    reveal("advice");
    torchprofAdvice(data, byId("advice-list"), summary);
  }

  if (data.roofline) {
    reveal("roofline");
    if (data.roofline.missing)
      byId("roofline-caption").textContent = "no plot: " + data.roofline.missing;
    else torchprofRoofline(data.roofline, {
      chart: byId("roofline-chart"), details: byId("roofline-details"),
      caption: byId("roofline-caption"),
    }, summary);
  }

  if (data.memory.length) {
    reveal("memory");
    torchprofMemory(data, byId("memory-tables"), summary);
  }

  const time = (cell) => torchprofValue(cell.getData(),
    { id: cell.getField(), type: "time" });
  const column = (title, field, more) => Object.assign(
    { title, field, headerTooltip: true }, more || {});
  const right = (title, field, formatter) => column(title, field,
    Object.assign(torchprofNumberColumn(title), { formatter }));
  // Columns that only a profile with forks, or one with gradients, has.
  const beside = !data.asynchronous ? []
    : [right("asynchronous", "asynchronous_ns", time)];
  const gradients = (fields) => !data.gradients ? [] : fields.map((field) =>
    right(field.replace("_ns", "").replace("_", " "), field, time));

  const tree = new Tabulator("#tree-table", {
    data: data.tree, layout: "fitColumns", maxHeight: "36rem", dataTree: true,
    dataTreeStartExpanded: [true, false], dataTreeChildField: "children",
    columns: [
      column("module", "name", { minWidth: 220, widthGrow: 3, headerSort: false }),
      column("class", "class", { minWidth: 120, headerSort: false }),
      right("calls", "calls", (cell) =>
        cell.getValue() === null ? "-" : cell.getValue()),
      right("total", "total_ns", time), right("% total", "pct_total", torchprofShare),
      right("self", "self_ns", time), right("% self", "pct_self", torchprofShare),
      ...beside, ...gradients(["backward_ns", "total_backward_ns"]),
      ...data.tree_columns.map(torchprofColumn),
    ],
  });
  const walk = (rows, open) => rows.forEach((row) => {
    if (open) row.treeExpand(); else row.treeCollapse();
    walk(row.getTreeChildren() || [], open);
  });
  // Drawn once, not for each module.
  const openAll = (open) => {
    tree.blockRedraw();
    walk(tree.getRows(), open);
    tree.restoreRedraw();
  };
  byId("expand").addEventListener("click", () => openAll(true));
  byId("collapse").addEventListener("click", () => openAll(false));

  torchprofFlame(data, {
    chart: byId("flame-chart"), details: byId("flame-details"),
    search: byId("flame-search"), reset: byId("flame-reset"),
  });

  // Latencies: how they are distributed and how they went.
  const W = 520, H = 200, M = { top: 8, right: 12, bottom: 34, left: 66 };
  const boxOf = (title) => {
    const box = text("div", "", byId("runs-charts"));
    box.className = "chart";
    text("h3", title, box);
    return box;
  };
  const chart = (title) => {
    return d3.select(boxOf(title)).append("svg").attr("viewBox", `0 0 ${W} ${H}`);
  };
  const tick = (ns) => torchprofTime(ns).replace(/\.?0+ /, (zeros) =>
    zeros.startsWith(".") ? " " : zeros);
  const times = (axis) => axis.ticks(5).tickFormat(tick);
  // There is no half of a run.
  const wholeNumbers = (axis) => axis.tickFormat(d3.format(",d"))
    .tickValues(axis.scale().ticks(5).filter(Number.isInteger));
  const axes = (svg, x, y, xLabel) => {
    svg.append("g").attr("transform", `translate(0,${H - M.bottom})`).call(x);
    svg.append("g").attr("transform", `translate(${M.left},0)`).call(y);
    svg.append("text").attr("x", (W + M.left) / 2).attr("y", H - 4)
      .attr("text-anchor", "middle").attr("font-size", 11)
      .attr("fill", "currentColor").text(xLabel);
  };
  for (const runs of data.runs) {
    if (runs.count === 1) {
      const latency = runs.latencies.map((ns) => ", " + torchprofTime(ns));
      boxOf(runs.method + ": one call" + latency);
      continue;
    }
    if (runs.latencies.length) {
      const svg = chart(runs.method + ": the last " + runs.latencies.length +
        " runs");
      const x = d3.scaleLinear([0, Math.max(1, runs.latencies.length - 1)],
        [M.left + 6, W - M.right]);
      const y = d3.scaleLinear([0, d3.max(runs.latencies)],
        [H - M.bottom, M.top]).nice();
      axes(svg, wholeNumbers(d3.axisBottom(x)), times(d3.axisLeft(y)), "run");
      svg.append("path").datum(runs.latencies).attr("fill", "none")
        .attr("stroke", "var(--accent)").attr("stroke-width", 1.2)
        .attr("d", d3.line((d, i) => x(i), (d) => y(d)));
      svg.selectAll("circle").data(runs.latencies).join("circle")
        .attr("cx", (d, i) => x(i)).attr("cy", (d) => y(d))
        .attr("r", runs.latencies.length > 200 ? 1 : 2.2)
        .append("title").text((d) => torchprofTime(d));
    }
    if (runs.histogram.length) {
      const svg = chart(runs.method + ": distribution of " +
        torchprofCalls(runs.count));
      const x = d3.scaleLinear([runs.histogram[0].from,
        runs.histogram[runs.histogram.length - 1].below], [M.left, W - M.right]);
      const y = d3.scaleLinear([0, d3.max(runs.histogram, (d) => d.runs)],
        [H - M.bottom, M.top]).nice();
      axes(svg, times(d3.axisBottom(x)), wholeNumbers(d3.axisLeft(y)), "latency");
      svg.selectAll("rect").data(runs.histogram).join("rect")
        .attr("x", (d) => x(d.from)).attr("y", (d) => y(d.runs))
        .attr("width", (d) => Math.max(1, x(d.below) - x(d.from) - 1))
        .attr("height", (d) => H - M.bottom - y(d.runs))
        .append("title").text((d) => torchprofTime(d.from) + " to " +
          torchprofTime(d.below) + ": " + torchprofCalls(d.runs));
    }
  }
  document.documentElement.dataset.ready = "yes";
})();
