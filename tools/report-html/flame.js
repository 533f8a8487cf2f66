// Draws the flame graph into `chart`, with a search box and a reset button.
// Colors go from yellow to red with the share of the whole.
function torchprofFlame(data, parts) {
  const amount = data.weight === "calls"
    ? (n) => n + " calls" : (n) => torchprofTime(n);
  const total = data.flame.value || 1;
  const width = () => Math.max(320, parts.chart.clientWidth || 960);
  // Of a node or its data: the library makes a node's own value what a zoom shows.
  const weight = (d) => (d.data || d).value;
  const describe = (d) => d.data.name + ": " + amount(weight(d)) + ", " +
    (100 * weight(d) / total).toFixed(2) + "%";
  const graph = flamegraph().width(width()).cellHeight(20).minFrameSize(1)
    .getValue(weight).selfValue(false).inverted(true).sort(false)
    .transitionDuration(200).title("").label(describe).setDetailsElement(parts.details)
    .setColorMapper((d) => {
      if (d.highlight) return "#c277e0";
      const heat = Math.sqrt(weight(d) / total);
      return "hsl(" + (48 - 40 * heat).toFixed(0) + ",90%," +
        (78 - 14 * heat).toFixed(0) + "%)";
    });
  const draw = () => d3.select(parts.chart).datum(data.flame).call(graph);
  draw();
  parts.search.addEventListener("input", () => {
    if (parts.search.value) graph.search(parts.search.value);
    else graph.clear();
  });
  parts.reset.addEventListener("click", () => {
    parts.search.value = "";
    graph.clear();
    graph.resetZoom();
  });
  let timer;
  window.addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      d3.select(parts.chart).selectAll("svg").remove();
      graph.width(width());
      draw();
    }, 150);
  });
}
