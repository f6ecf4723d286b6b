// Once for all suites: finds a Temporal CLI as the product does, starts one server, prepares the bundle.
// Without a server everything fails here, loudly; nothing is ever skipped.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';

import { registerSearchAttributes } from '../../workers/temporal/search-attributes';
import { resolveTemporalCli } from '../../workers/temporal/temporal-cli';
import { reportTo, SILENT_REPORTER } from '../../workers/temporal/terminal-reporter';
import { startTestServer, type TestServer } from './temporal-server';
import { prepareBundle } from './workflow-bundle';

declare global {
  var drawbridgeTestTemporal: { server: TestServer; folder: string } | undefined;
}

export default async function globalSetup(): Promise<void> {
  const isVerbose = process.env.CI !== undefined || process.env.DRAWBRIDGE_TEST_VERBOSE !== undefined;
  const cli = await resolveTemporalCli({ reporter: reporterFor(isVerbose) });
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-tests-'));
  const [server, bundlePath, recordingBundlePath] = await Promise.all([
    startTestServer({ cli: cli.path, folder }),
    prepareBundle(),
    prepareBundle(join(__dirname, 'command-recorder.ts')),
  ]);
  globalThis.drawbridgeTestTemporal = { server, folder };
  const connection = await Connection.connect({ address: server.address });
  const outcome = await registerSearchAttributes(connection, 'default');
  await connection.close();
  if (outcome.kind === 'unavailable') throw new Error(`Search attributes: ${outcome.why}`);
  process.env.DRAWBRIDGE_TEST_TEMPORAL_ADDRESS = server.address;
  process.env.DRAWBRIDGE_TEST_TEMPORAL_CLI = cli.path;
  process.env.DRAWBRIDGE_TEST_BUNDLE = bundlePath;
  process.env.DRAWBRIDGE_TEST_RECORDING_BUNDLE = recordingBundlePath;
}

/** A found CLI is nobody's news; one that has to be fetched is, for it takes minutes. */
function reporterFor(isVerbose: boolean) {
  const reporter = reportTo(process.stderr);
  return isVerbose ? reporter : { ...SILENT_REPORTER, progress: reporter.progress };
}
