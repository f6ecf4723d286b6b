// What must hold at the end: all runs completed, and the judge of the chaos suite has nothing
// against the share and the service.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { ingestWorkflowId } from '../../workflows/contract';
import { judge } from '../chaos/judge';
import { collectEvidence } from '../chaos/judge-evidence';
import { mostRequestsOf } from '../chaos/request-budget';
import type { SandboxControl } from '../sandbox/control';
import { DEFAULT_COMPANY_ID, DEFAULT_PROJECTS } from '../sandbox/defaults';

const LISTED_WITHIN_MS = 10_000;
/** The defaults of docker/drawbridge.json, and the one that drawbridge-parts.ts sets. */
const VALUES = {
  defaults: { Type: 'Document', Status: 'Work in Progress', Revision: 'A' },
  documentName: 'stem',
} as const;
/** Three workers, one of them a second time; a worker, Temporal and its database are killed. */
const DONE = { workers: 4, interruptions: 3 };

export interface VerdictInput {
  readonly temporalAddress: string;
  readonly control: SandboxControl;
  readonly share: string;
  readonly dropped: ReadonlyMap<string, string>;
  /** Folders dropped; as many batches or a few more come of them, as files settle. */
  readonly batches: number;
}

export interface Check {
  readonly what: string;
  readonly found: string;
  /** Undefined: told for information. */
  readonly isGood: boolean | undefined;
}

/** One line a check, and what the judge found in full. */
export async function judgeCluster(input: VerdictInput): Promise<{ checks: Check[]; violations: string[] }> {
  const connection = await Connection.connect({ address: input.temporalAddress });
  try {
    const client = new Client({ connection });
    const runs = await describeRuns(client, input.share);
    const evidence = await collectEvidence(
      input.control,
      input.share,
      [...input.dropped].map(([path, sha256]) => ({ path, sha256, healthy: true })),
    );
    const histories = runs.map(({ workflowId, events }) => ({ workflowId, events }));
    const violations = judge(
      { ...evidence, histories },
      {
        mode: 'at-rest',
        case: 'cluster',
        projectId: DEFAULT_PROJECTS.plain,
        values: VALUES,
        mostRequests: mostRequestsOf(evidence, DONE),
      },
    );
    const rows = evidence.share.batches.flatMap(({ receipt }) => receipt?.files ?? []);
    const listed = await listByShare(client, runs.length);
    const longest = Math.max(0, ...histories.map(({ events }) => events));
    const completed = runs.filter(({ status }) => status === 'COMPLETED').length;
    const submitted = rows.filter(({ outcome }) => outcome === 'submitted').length;
    const files = input.dropped.size;
    return {
      checks: [
        {
          what: 'batches put away on the share',
          found: `${runs.length}, of ${input.batches} folders`,
          isGood: runs.length >= input.batches,
        },
        toCheck('their runs completed', completed, runs.length),
        toCheck('files with a receipt', rows.length, files),
        toCheck('of them submitted', submitted, files),
        toCheck(
          'revisions in the service',
          evidence.revisions.filter(({ uploadId }) => uploadId).length,
          files,
        ),
        toCheck("objections of the service's stand-in", evidence.serviceViolations.length, 0),
        toCheck("violations by the judge's count", violations.length, 0),
        toCheck('runs found by the search attribute DrawbridgeShare', listed, runs.length),
        { what: 'longest history', found: `${longest} events`, isGood: undefined },
      ],
      violations: violations.map(({ invariant, what }) => `${invariant}: ${what}`),
    };
  } finally {
    await connection.close();
  }
}

function toCheck(what: string, found: number, expected: number): Check {
  return { what, found: `${found} of ${expected}`, isGood: found === expected };
}

async function describeRuns(
  client: Client,
  share: string,
): Promise<{ workflowId: string; status: string; events: number }[]> {
  const finished = join(share, '.drawbridge', 'finished');
  const batchIds = readdirSync(finished).flatMap(month => readdirSync(join(finished, month)));
  const project = { companyId: DEFAULT_COMPANY_ID, projectId: DEFAULT_PROJECTS.plain };
  const runs: { workflowId: string; status: string; events: number }[] = [];
  for (const batchId of batchIds) {
    const workflowId = ingestWorkflowId(project, batchId);
    const handle = client.workflow.getHandle(workflowId);
    // The batch is put away a moment before its run ends.
    await handle.result();
    const { status, historyLength } = await handle.describe();
    runs.push({ workflowId, status: status.name, events: historyLength });
  }
  return runs;
}

/** The list is written behind the runs: it is waited for. */
async function listByShare(client: Client, expected: number): Promise<number> {
  const query = "DrawbridgeShare = 'tender' AND ExecutionStatus = 'Completed'";
  const deadline = performance.now() + LISTED_WITHIN_MS;
  for (;;) {
    const { count } = await client.workflow.count(query);
    if (count >= expected || performance.now() > deadline) return count;
  }
}
