// A namespace of its own for each suite: task-queue names are fixed, so suites must not meet in one.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { CALL_RETRIES } from '../../workers/temporal/call-retries';
import { registerSearchAttributes } from '../../workers/temporal/search-attributes';
import { testTemporal } from './temporal';

export interface TestNamespace {
  readonly address: string;
  readonly namespace: string;
  readonly client: Client;
  readonly native: NativeConnection;
  readonly bundlePath: string;
  /**
   * Until the run's history grows, or a short time has passed (timers inside a
   * test's fake may change it without).
   */
  nextEvent(handle: WorkflowHandle): Promise<void>;
  close(): Promise<void>;
}

const PATIENCE_MS = 20_000;
const GLANCE_MS = 50;

/** @param server host:port of another server than the one that all suites share. */
export async function startNamespace(server?: string): Promise<TestNamespace> {
  const { bundlePath, address: shared } = testTemporal();
  const address = server ?? shared;
  const namespace = `test-${randomUUID()}`;
  const connection = await Connection.connect({ address, interceptors: CALL_RETRIES });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await untilUsable(connection, namespace);
  const outcome = await registerSearchAttributes(connection, namespace);
  if (outcome.kind === 'unavailable') throw new Error(`Search attributes: ${outcome.why}`);
  const native = await NativeConnection.connect({ address });
  return {
    address,
    namespace,
    client: new Client({ connection, namespace }),
    native,
    bundlePath,
    nextEvent: async () => await delay(GLANCE_MS),
    close: async () => {
      await connection.close();
      await native.close();
    },
  };
}

/** For a whole file of tests: there from before the first to after the last. */
export function useNamespace(): TestNamespace {
  let made: TestNamespace | undefined;
  beforeAll(async () => {
    made = await startNamespace();
  });
  afterAll(async () => {
    await made?.close();
  });
  const there = (): TestNamespace => {
    if (made === undefined) throw new Error('The namespace is there from the first test on.');
    return made;
  };
  return {
    get address() {
      return there().address;
    },
    get namespace() {
      return there().namespace;
    },
    get client() {
      return there().client;
    },
    get native() {
      return there().native;
    },
    get bundlePath() {
      return there().bundlePath;
    },
    nextEvent: async handle => await there().nextEvent(handle),
    close: async () => await there().close(),
  };
}

/** The server's own cache learns of a new namespace a moment later. */
async function untilUsable(connection: Connection, namespace: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 });
      return;
    } catch (error: unknown) {
      if (Date.now() > deadline) throw error;
      await delay(GLANCE_MS);
    }
  }
}
