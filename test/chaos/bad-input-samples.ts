// A good answer of every endpoint, made from what its schema reads: the starting point that is then spoiled.
import { z } from 'zod';
import type { Endpoint } from '../../activities/service/endpoint';
import * as changeOrderLines from '../../activities/service/endpoints/change-order-lines';
import * as changeOrders from '../../activities/service/endpoints/change-orders';
import * as documentRevisions from '../../activities/service/endpoints/document-revisions';
import * as documentUploads from '../../activities/service/endpoints/document-uploads';
import * as fileUploads from '../../activities/service/endpoints/file-uploads';
import * as observationLists from '../../activities/service/endpoints/observation-lists';
import * as observations from '../../activities/service/endpoints/observations';
import * as projectRules from '../../activities/service/endpoints/project-rules';
import * as projectUsers from '../../activities/service/endpoints/project-users';
import * as timecardEntries from '../../activities/service/endpoints/timecard-entries';
import * as timesheetLookups from '../../activities/service/endpoints/timesheet-lookups';
import * as timesheetSignatures from '../../activities/service/endpoints/timesheet-signatures';
import * as timesheets from '../../activities/service/endpoints/timesheets';
import * as webhooks from '../../activities/service/endpoints/webhooks';
import type { Dice, Json } from './bad-input-mutate';

/** An endpoint of whatever types; what it is sent does not matter here. */
export type AnyEndpoint = Endpoint<Readonly<Record<string, string>>, undefined, undefined, unknown>;

interface Node {
  readonly type?: string | readonly string[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
  readonly pattern?: string;
}

/** All that are sent with a bearer, each as if it took no body. */
export const ENDPOINTS: readonly AnyEndpoint[] = [
  changeOrderLines,
  changeOrders,
  documentRevisions,
  documentUploads,
  fileUploads,
  observationLists,
  observations,
  projectRules,
  projectUsers,
  timecardEntries,
  timesheetLookups,
  timesheetSignatures,
  timesheets,
  webhooks,
]
  .flatMap((file): unknown[] => Object.values(file))
  .flatMap(value => toBare(value));

function toBare(value: unknown): AnyEndpoint[] {
  if (typeof value !== 'object' || value === null || !('path' in value) || !('response' in value)) return [];
  const {
    request: _request,
    requestForm: _form,
    query: _query,
    ...endpoint
  } = value as Record<string, unknown>;
  return [{ ...endpoint, path: `/${String(endpoint.name)}` } as unknown as AnyEndpoint];
}

const schemas = new Map<string, Node>();

/** An answer as the endpoint expects it. */
export function sampleOf(endpoint: AnyEndpoint, dice: Dice): Json {
  const known =
    schemas.get(endpoint.name) ??
    (z.toJSONSchema(endpoint.response, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Node);
  schemas.set(endpoint.name, known);
  return sample(known, dice);
}

function sample(node: Node, dice: Dice): Json {
  if (node.const !== undefined) return node.const;
  if (node.enum !== undefined) return dice.pick(node.enum);
  if (node.anyOf !== undefined) {
    const filled = node.anyOf.filter(({ type }) => type !== 'null');
    return sample(dice.pick(filled.length > 0 ? filled : node.anyOf), dice);
  }
  const types = typeof node.type === 'object' ? node.type.filter(type => type !== 'null') : [node.type];
  switch (types.length === 0 ? undefined : dice.pick(types)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(node.properties ?? {}).map(([key, inner]) => [key, sample(inner, dice)]),
      );
    case 'array':
      return Array.from({ length: 1 + dice.below(3) }, () => sample(node.items ?? {}, dice));
    case 'string':
      return sampleText(node.pattern, dice);
    case 'number':
    case 'integer':
      return 1 + dice.below(10_000);
    case 'boolean':
      return dice.below(2) === 0;
    default:
      return dice.pick<Json>(['completed', { status: 'completed' }, null]);
  }
}

function sampleText(pattern: string | undefined, dice: Dice): string {
  const candidates = [
    'text',
    '01JABCDEFGHJKMNPQRSTVWXYZ0',
    '2026-01-31',
    '2026-01-31T09:30:00Z',
    '12.50',
    '12',
    'https://storage.example.com/x',
  ];
  const fitting =
    pattern === undefined ? candidates : candidates.filter(text => new RegExp(pattern, 'u').test(text));
  return fitting.length === 0 ? 'text' : dice.pick(fitting);
}
