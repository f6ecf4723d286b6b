// How jest loads modules here (`runtime` in jest.config.js): as ever, every test file anew in a realm of its
// own, but what was transformed and compiled for one file is kept for the next ones of its process. Jest
// compiles all libraries for each file, its own among them: a fifth of the CPU of files that take
// milliseconds.
const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** By path: its text, what the transform made of it, and that as a script. Every realm runs the same one. */
const scripts = new Map();
const transformed = new Map();

class KeptCode extends Runtime {
  constructor(...given) {
    super(...given);
    const [, , , , , { collectCoverage }] = given;
    // That counts in the code itself, by file.
    if (collectCoverage) return;
    keepTransforms(this.transformCache, this.fileCache);
    keepScripts(this.executor);
  }
}

/** @param cache jest's, of this test file. */
function keepTransforms(cache, files) {
  const transform = cache.transform.bind(cache);
  cache.transform = (filename, options) => {
    if (options?.isInternalModule) return transform(filename, options);
    const source = files.readFile(filename);
    const kept = transformed.get(filename);
    if (kept?.source !== source) {
      const code = transform(filename, options);
      transformed.set(filename, { source, result: cache.transforms.get(filename) });
      return code;
    }
    const { result } = kept;
    cache.transforms.set(filename, result);
    // For the lines and columns that a failed test names.
    if (result.sourceMapPath) cache.sourceMaps.set(filename, result.sourceMapPath);
    return result.code;
  };
}

/** @param executor jest's, of this test file. */
function keepScripts(executor) {
  const compile = executor.compile.bind(executor);
  executor.compile = (code, filename) => {
    const context = executor.environment.getVmContext();
    const script = context === null ? undefined : scriptOf(code, filename, executor.injectedModuleParameters);
    return script === undefined ? compile(code, filename) : script.runInContext(context);
  };
}

/** Undefined for what jest is to compile itself, and to complain of. */
function scriptOf(code, filename, parameters) {
  const kept = scripts.get(filename);
  if (kept?.code === code) return kept.script;
  const head = `(function (${parameters.join(', ')}) {`;
  let script;
  try {
    script = new Script(`${head}${code}\n})`, { filename, columnOffset: -head.length });
  } catch {
    script = undefined;
  }
  scripts.set(filename, { code, script });
  return script;
}

/** For jest, which takes the default of a module. */
exports.__esModule = true;
exports.default = KeptCode;
exports.keepScripts = keepScripts;
exports.isKept = filename => scripts.get(filename)?.script !== undefined;
