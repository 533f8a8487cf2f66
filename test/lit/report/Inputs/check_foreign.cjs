// Reads exports with libraries that others wrote.
// Usage: check_foreign.cjs NODE_MODULES speedscope|pprof FILE TOTAL
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const zlib = require("zlib");

const [modules, format, file, total] = process.argv.slice(2);

function checkSpeedscope() {
  const Ajv = require(path.join(modules, "ajv")).default;
  const schema = JSON.parse(fs.readFileSync(path.join(
    modules, "speedscope/dist/release/file-format-schema.json")));
  const document = JSON.parse(fs.readFileSync(file));
  const validate = new Ajv({ strict: false }).compile(schema);
  assert(validate(document), JSON.stringify(validate.errors));
  let sum = 0;
  for (const profile of document.profiles) {
    assert.strictEqual(profile.samples.length, profile.weights.length);
    let inside = 0;
    for (const weight of profile.weights) inside += weight;
    assert.strictEqual(profile.endValue - profile.startValue, inside);
    for (const sample of profile.samples)
      for (const frame of sample) assert(document.shared.frames[frame]);
    sum += inside;
  }
  assert.strictEqual(sum, Number(total));
}

function checkPprof() {
  const { Profile } = require(path.join(modules, "pprof-format"));
  const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(file)));
  const text = (index) => profile.stringTable.strings[Number(index)];
  assert.strictEqual(text(0), "");
  console.log("sample types: " + profile.sampleType.map(
    (type) => text(type.type) + "/" + text(type.unit)).join(" ") +
    "; default: " + text(profile.defaultSampleType));
  const byId = (list) => new Map(list.map((entry) => [String(entry.id), entry]));
  const locations = byId(profile.location), functions = byId(profile.function);
  let sum = 0;
  for (const sample of profile.sample) {
    sum += Number(sample.value[1]);
    console.log(sample.value.join(" ") + " " + sample.label.map(
      (label) => text(label.key) + "=" + text(label.str)).join(" "));
    for (const id of sample.locationId) {
      const line = locations.get(String(id)).line[0];
      const found = functions.get(String(line.functionId));
      console.log("  " + text(found.name) + " " + text(found.filename) + ":" +
        line.line);
    }
  }
  assert.strictEqual(sum, Number(total));
}

({ speedscope: checkSpeedscope, pprof: checkPprof })[format]();
