// What the report advises: what to try against what costs time needlessly.
// `summary` is the table of nodes that the nodes' links lead to.
function torchprofAdvice(data, box, summary) {
  const add = torchprofAdd;
  const mostLinks = 4;
  for (const advice of data.advice) {
    const item = add(box, "article");
    const heading = add(item, "h3");
    add(heading, "b",
      torchprofValue(advice, { id: "pct_total", type: "percent" }));
    heading.append(" " + advice.what);
    add(item, "p", torchprofTime(advice.time_ns) + ": " + advice.where);
    const steps = add(item, "dl");
    for (const step of ["try", "check"]) {
      add(steps, "dt", step);
      add(steps, "dd", advice[step]);
    }
    if (!advice.sites.length) continue;
    const nodes = add(item, "p");
    nodes.className = "nodes";
    for (const site of advice.sites.slice(0, mostLinks))
      nodes.appendChild(summary.linkTo(site, summary.nameOf(site)));
    if (advice.sites.length <= mostLinks) continue;
    const all = add(nodes, "button", "all " + advice.sites.length +
      " in the summary");
    all.type = "button";
    all.addEventListener("click", () => summary.showOnly(advice.sites));
  }
}
