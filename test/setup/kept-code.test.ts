// Code that is kept from one test file to the next is only ever that: what a module does, it does anew in
// each realm, a file that has changed is compiled anew, and a stack names the place in the source.
import { compileFunction, createContext, runInContext } from 'node:vm';

interface Executor {
  readonly environment: { readonly getVmContext: () => object | null };
  readonly injectedModuleParameters: readonly string[];
  compile(code: string, filename: string): ((...given: unknown[]) => void) | null;
}
const { keepScripts } = require('./kept-code.cjs') as { keepScripts: (executor: Executor) => void };

const PARAMETERS = ['module', 'exports', 'require'];
let names = 0;

/**
 * One as jest has for each test file, with a realm of its own; `left` is what it was asked to compile itself.
 */
function open(context: object | null = createContext({})) {
  const left: string[] = [];
  const executor: Executor = {
    environment: { getVmContext: () => context },
    injectedModuleParameters: PARAMETERS,
    compile: (code, filename) => {
      left.push(filename);
      return context === null
        ? null
        : (compileFunction(code, PARAMETERS, { filename, parsingContext: context }) as () => void);
    },
  };
  keepScripts(executor);
  const run = (code: string, filename: string) => {
    const module = { exports: {} as Record<string, unknown> };
    executor.compile(code, filename)?.call(module.exports, module, module.exports);
    return module.exports;
  };
  return { context, executor, left, run };
}

/** No other test keeps anything by this name. */
function freshName(): string {
  names += 1;
  return `/kept-code/${names}.js`;
}

test('each realm has a module of its own, of its own classes, from one compiled script', () => {
  const [one, other] = [open(), open()];
  const name = freshName();
  const code = 'let n = 0; exports.next = () => ++n; exports.list = []; exports.self = this === exports;';
  const [first, second] = [one.run(code, name), other.run(code, name)];
  expect((first.next as () => number)()).toBe(1);
  expect((first.next as () => number)()).toBe(2);
  expect((second.next as () => number)()).toBe(1);
  expect([first.self, second.self]).toEqual([true, true]);
  for (const [{ context }, { list }] of [
    [one, first],
    [other, second],
  ] as const)
    expect(Object.getPrototypeOf(list)).toBe(runInContext('Array.prototype', context!));
  expect([...one.left, ...other.left]).toEqual([]);
});

test('a file that has changed meanwhile is compiled as it is now', () => {
  const name = freshName();
  expect(open().run('exports.is = "old"', name)).toEqual({ is: 'old' });
  expect(open().run('exports.is = "new" // and no line after it', name)).toEqual({ is: 'new' });
});

test.each([
  ['on the first line', 'exports.fail = () => { throw new Error("here") };'],
  ['below it', '"use strict";\nexports.fail = () => {\n  throw new Error("here");\n};'],
])('a stack names line and column as they stand in the file, %s', (_, code) => {
  const placeOf = (run: (code: string, filename: string) => Record<string, unknown>) => {
    const name = freshName();
    try {
      (run(code, name).fail as () => void)();
    } catch (error) {
      return /\.js:(\d+:\d+)/.exec((error as Error).stack ?? '')?.[1];
    }
    throw new Error('It did not fail.');
  };
  const asJestHasIt = (source: string, filename: string) => {
    const exports = {};
    (compileFunction(source, ['exports'], { filename }) as (given: object) => void)(exports);
    return exports as Record<string, unknown>;
  };
  const place = placeOf(open().run);
  expect(place).toMatch(/^\d+:\d+$/);
  expect(place).toBe(placeOf(asJestHasIt));
});

test('what cannot be compiled is left to jest, which says why; each time', () => {
  const bed = open();
  const name = freshName();
  expect(() => bed.run('const = 1', name)).toThrow("Unexpected token '='");
  expect(() => bed.run('const = 1', name)).toThrow("Unexpected token '='");
  expect(bed.left).toEqual([name, name]);
});

test('a realm that is no more compiles nothing', () => {
  const name = freshName();
  open().run('exports.is = 1', name);
  expect(open(null).executor.compile('exports.is = 1', name)).toBeNull();
});

test('the tests run that way themselves', () => {
  const { loadByNode } = globalThis as unknown as {
    loadByNode: (name: string) => { isKept(path: string): boolean };
  };
  const { isKept } = loadByNode(require.resolve('./kept-code.cjs'));
  expect(isKept(__filename)).toBe(true);
});
