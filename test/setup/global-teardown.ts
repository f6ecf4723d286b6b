// Ends what global-setup.ts has started.
import { rmSync } from 'node:fs';

export default async function globalTeardown(): Promise<void> {
  const started = globalThis.drawbridgeTestTemporal;
  if (started === undefined) return;
  await started.server.stop();
  rmSync(started.folder, { recursive: true, force: true });
}
