// Environment overrides: DRAWBRIDGE_<PATH>, with two underscores between the parts of the path, in any case.
// DRAWBRIDGE_SERVICE__BASE_URL sets service.baseUrl, DRAWBRIDGE_SHARES__0__FOLDER or
// DRAWBRIDGE_SHARES__TENDER__FOLDER a share's folder.
import { knownKeys, SCHEMA_ROOT, type SchemaNode, suggest, toPathText } from './config-faults';
import type { ConfigFault, Environment } from './config-types';

const PREFIX = 'DRAWBRIDGE_';
/**
 * Variables with a meaning of their own; DRAWBRIDGE_TEST_ and DRAWBRIDGE_BENCH_
 * belong to the development scripts.
 */
const OWN_VARIABLES = /^DRAWBRIDGE_(CONFIG|DATA_DIR|CLIENT_SECRET|TEST_.*|BENCH_.*)$/i;

export interface Overrides {
  /** The file's content with the overrides written into a copy of it. */
  readonly merged: unknown;
  /** Paths that were overridden, by variable, written as in faults: `shares[0].settle`. */
  readonly applied: Readonly<Record<string, string>>;
  readonly faults: readonly ConfigFault[];
}

/**
 * Puts the environment's overrides over the file's content. Variables that a secret reference names are left
 * alone, be the reference in the file or itself an override.
 */
export function applyEnvironment(raw: unknown, environment: Environment): Overrides {
  const ofFile = collectSecretNames(raw);
  const { merged } = override(raw, environment, ofFile);
  return override(raw, environment, new Set([...ofFile, ...collectSecretNames(merged)]));
}

function override(raw: unknown, environment: Environment, secretNames: ReadonlySet<string>): Overrides {
  const merged: unknown = structuredClone(raw);
  const applied: Record<string, string> = {};
  const faults: ConfigFault[] = [];
  for (const [name, value] of Object.entries(environment).sort(([left], [right]) =>
    left.localeCompare(right),
  )) {
    const isOurs =
      name.toUpperCase().startsWith(PREFIX) && !OWN_VARIABLES.test(name) && !secretNames.has(name);
    if (!isOurs || value === undefined) continue;
    const parts = name.slice(PREFIX.length).split('__');
    const outcome = setAt(merged, SCHEMA_ROOT, parts, value);
    if (typeof outcome === 'string') faults.push({ path: name, text: outcome });
    else applied[name] = toPathText(outcome.path);
  }
  return { merged, applied, faults };
}

function setAt(
  target: unknown,
  node: SchemaNode | undefined,
  parts: readonly string[],
  value: string,
): { path: PropertyKey[] } | string {
  const [part, ...rest] = parts;
  if (part === undefined || typeof target !== 'object' || target === null)
    return 'does not lead to a setting';
  const step = Array.isArray(target) ? stepIntoList(target, node, part) : stepIntoObject(node, part);
  if (typeof step === 'string') return step;
  const holder = target as Record<string, unknown>;
  const place = Array.isArray(target) ? Number(step.key) : step.key;
  if (rest.length === 0) {
    const converted = convert(step.node, value);
    if (converted === undefined) return 'expected JSON, for this setting is a list or an object';
    holder[step.key] = converted.value;
    return { path: [place] };
  }
  const inner = Object.hasOwn(holder, step.key) ? holder[step.key] : undefined;
  holder[step.key] = inner ?? (step.node?.items === undefined ? {} : []);
  const deeper = setAt(holder[step.key], step.node, rest, value);
  return typeof deeper === 'string' ? deeper : { path: [place, ...deeper.path] };
}

interface Step {
  readonly key: string;
  readonly node: SchemaNode | undefined;
}

function stepIntoObject(node: SchemaNode | undefined, part: string): Step | string {
  const known = knownKeys(node);
  if (node?.properties === undefined && node?.anyOf === undefined) {
    return node?.type === 'object' ? { key: part, node: undefined } : 'does not lead to a setting';
  }
  const key = known.find(candidate => plain(candidate) === plain(part));
  if (key === undefined) return `no such setting: ${suggest(part, known)}`;
  const branches = [node, ...(node.anyOf ?? [])];
  return { key, node: branches.find(branch => branch.properties?.[key] !== undefined)?.properties?.[key] };
}

function stepIntoList(list: readonly unknown[], node: SchemaNode | undefined, part: string): Step | string {
  const byName = list.findIndex(entry => plain(nameOf(entry)) === plain(part));
  if (byName >= 0 && part !== '') return { key: String(byName), node: node?.items };
  if (/^\d{1,2}$/.test(part) && Number(part) <= list.length) return { key: part, node: node?.items };
  const names = list.map(nameOf).filter(name => name !== '');
  return `no such entry: expected a number from 0 to ${list.length}${names.length > 0 ? ` or a name: ${names.join(', ')}` : ''}`;
}

function convert(node: SchemaNode | undefined, text: string): { value: unknown } | undefined {
  const branches = node?.anyOf ?? (node === undefined ? [] : [node]);
  const types = new Set(branches.flatMap(branch => branch.type ?? []));
  if (types.has('boolean') && /^(true|false)$/i.test(text)) return { value: text.toLowerCase() === 'true' };
  if ((types.has('number') || types.has('integer')) && /^-?\d+(\.\d+)?$/.test(text))
    return { value: Number(text) };
  if ((types.has('object') || types.has('array')) && /^\s*[[{]/.test(text)) {
    try {
      return { value: JSON.parse(text) };
    } catch {
      return undefined;
    }
  }
  return { value: text };
}

function collectSecretNames(value: unknown): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set();
  const names = new Set<string>();
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'env' && typeof inner === 'string') names.add(inner);
    else for (const name of collectSecretNames(inner)) names.add(name);
  }
  return names;
}

function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

function nameOf(entry: unknown): string {
  return typeof entry === 'object' && entry !== null && 'name' in entry ? String(entry.name) : '';
}
