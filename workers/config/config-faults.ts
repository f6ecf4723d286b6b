// What is wrong with a config, said once, all of it, with paths and without any secret.
import type { z } from 'zod';
import { editDistance } from '../../activities/host/edit-distance';
import { entryOf } from '../../activities/host/entry-of';
import { toConfigJsonSchema } from './config-schema';
import type { ConfigFault } from './config-types';

const SECRET_PATH = /secret|token|password|key$/i;
const FOUND_CHARACTERS = 60;
// A name is compared and shown as far as anybody would write one.
const NAME_CHARACTERS = 100;
// Keys within keys make a path of any length.
const LINE_CHARACTERS = 600;
// More than anybody corrects in one go; `faults` holds them all.
const MOST_LISTED = 200;

/** All faults of one config; its message lists them, one a line. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly source: string;
  readonly faults: readonly ConfigFault[];

  constructor(source: string, faults: readonly ConfigFault[]) {
    const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
    const lines = faults
      .slice(0, MOST_LISTED)
      .map(
        fault =>
          `  ${shorten(`${fault.path === '' ? '' : `${fault.path}: `}${fault.text}`, LINE_CHARACTERS)}`,
      );
    if (faults.length > MOST_LISTED) lines.push(`  and ${faults.length - MOST_LISTED} more`);
    super(`${source} has ${count}:\n${lines.join('\n')}`);
    this.name = 'ConfigError';
    this.source = source;
    this.faults = faults;
  }
}

/** A part of the published JSON Schema, as far as it is needed to walk it. */
export interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly type?: string | readonly string[];
}

/** The published schema as a tree to walk. */
export const SCHEMA_ROOT = toConfigJsonSchema() as SchemaNode;

/** Turns zod's issues into faults; `raw` is the value that was parsed. */
export function toFaults(issues: readonly z.core.$ZodIssue[], raw: unknown): ConfigFault[] {
  return issues.flatMap(issue => {
    if (issue.code === 'unrecognized_keys') {
      const known = knownKeys(nodeAt(issue.path));
      return issue.keys.map(key => ({
        path: toPathText([...issue.path, key]),
        text: `unknown key; ${suggest(key, known)}`,
      }));
    }
    const found = valueAt(raw, issue.path);
    const expected = describeExpected(issue);
    const text =
      found === undefined
        ? `missing; expected ${expected}`
        : `expected ${expected}${describeFound(issue.path, found)}`;
    return [{ path: toPathText(issue.path), text }];
  });
}

/** "did you mean ..." for a near miss, else the list of what is known. */
export function suggest(found: string, known: readonly string[]): string {
  const name = found.slice(0, NAME_CHARACTERS);
  const ranked = known
    .map(candidate => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance);
  const [best] = ranked;
  if (best !== undefined && best.distance <= Math.max(2, Math.floor(name.length / 3))) {
    return `did you mean "${best.candidate}"?`;
  }
  return known.length === 0 ? 'nothing is known here' : `known here: ${known.join(', ')}`;
}

/** Keys that a node of the schema knows, `$schema` left out. */
export function knownKeys(node: SchemaNode | undefined): string[] {
  const own = Object.keys(node?.properties ?? {}).filter(key => key !== '$schema');
  return [...own, ...(node?.anyOf ?? []).flatMap(branch => knownKeys(branch))];
}

/** `shares[0].batch.maxFiles` */
export function toPathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = shorten(String(part));
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

/** The value under a path, undefined where the way ends early. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (current, part) =>
      typeof current === 'object' && current !== null && Object.hasOwn(current, part)
        ? (current as Record<PropertyKey, unknown>)[part]
        : undefined,
    value,
  );
}

function nodeAt(path: readonly PropertyKey[]): SchemaNode | undefined {
  return path.reduce<SchemaNode | undefined>(
    (node, part) => (typeof part === 'number' ? node?.items : propertyOf(node, String(part))),
    SCHEMA_ROOT,
  );
}

function propertyOf(node: SchemaNode | undefined, name: string): SchemaNode | undefined {
  return entryOf(node?.properties ?? {}, name);
}

function shorten(text: string, most = NAME_CHARACTERS): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function describeExpected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `one of ${issue.values.map(value => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
    case 'too_big': {
      const isLeast = issue.code === 'too_small';
      const bound = String(isLeast ? issue.minimum : issue.maximum);
      const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' entries' : '';
      return `${isLeast ? 'at least' : 'at most'} ${bound}${unit}`;
    }
    case 'invalid_type':
      return issue.message.startsWith('Invalid input')
        ? `${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected === 'int' ? 'whole number' : issue.expected}`
        : issue.message;
    default:
      return issue.message.startsWith('Invalid input')
        ? 'what docs/configuration.md says of it'
        : issue.message;
  }
}

function describeFound(path: readonly PropertyKey[], found: unknown): string {
  if (path.some(part => SECRET_PATH.test(String(part)))) return '';
  if (typeof found === 'string') {
    // An address may carry a password or a signature.
    return /[@?]/.test(found) ? '' : `, found ${JSON.stringify(found.slice(0, FOUND_CHARACTERS))}`;
  }
  if (typeof found === 'number' || typeof found === 'boolean' || found === null) return `, found ${found}`;
  return Array.isArray(found) ? ', found a list' : ', found an object';
}
