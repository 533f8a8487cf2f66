// Numbers for people, as torchprof-report prints them.

// As printf's %.*f, for which toFixed would do if it did not round what lies in
// the middle, such as 781.25, away from 0. Only multiples of 2^-(digits + 1) can
// lie there.
function torchprofFixed(value, digits) {
  const scaled = value * 10 ** digits, down = Math.floor(scaled);
  if (scaled - down !== 0.5 || !Number.isInteger(value * 2 ** (digits + 1)))
    return value.toFixed(digits);
  return ((down % 2 ? down + 1 : down) / 10 ** digits).toFixed(digits);
}
function torchprofTime(ns) {
  if (ns === null || ns === undefined) return "-";
  const size = Math.abs(ns);
  if (size < 999.5) return torchprofFixed(ns, 0) + " ns";
  if (size < 999999.5) return torchprofFixed(ns / 1e3, 3) + " us";
  if (size < 999999500) return torchprofFixed(ns / 1e6, 3) + " ms";
  return torchprofFixed(ns / 1e9, 3) + " s";
}
function torchprofBytes(bytes) {
  if (Math.abs(bytes) < 1024) return bytes + " B";
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let size = bytes / 1024;
  while (Math.abs(size) >= 1023.95 && units.length > 1) {
    size /= 1024;
    units.shift();
  }
  return torchprofFixed(size, 1) + " " + units[0];
}
function torchprofCalls(count) {
  return count + (count === 1 ? " call" : " calls");
}
const torchprofTypes = {
  text: (value) => value,
  count: (value) => String(value),
  bytes: torchprofBytes,
  time: torchprofTime,
  percent: (value) => torchprofFixed(value, 2) + "%",
};
// The value that `row` has in `column`, one of the data's columns.
function torchprofValue(row, column) {
  const value = row[column.id];
  if (value === null || value === undefined) return "-";
  return row[column.id + "_text"] || torchprofTypes[column.type](value);
}
