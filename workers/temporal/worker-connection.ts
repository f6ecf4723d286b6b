// A connection for workers. Importing this file loads the SDK's engine, which commands do without.
import { NativeConnection } from '@temporalio/worker';
import { type ConnectInput, connect } from './temporal-connection';

/** The runtime (runtime-logging.ts) must be installed before. */
export async function connectWorker(input: ConnectInput): Promise<NativeConnection> {
  return await connect(input, () => NativeConnection.connect(input.target.connectionOptions));
}
