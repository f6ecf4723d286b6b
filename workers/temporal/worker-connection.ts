// A connection for workers: by itself, for the engine behind it is loaded with it, and commands need none.
import { NativeConnection } from '@temporalio/worker';
import { type ConnectInput, connect } from './temporal-connection';

/** The runtime must be installed before. */
export async function connectWorker(input: ConnectInput): Promise<NativeConnection> {
  return await connect(input, () => NativeConnection.connect(input.target.connectionOptions));
}
