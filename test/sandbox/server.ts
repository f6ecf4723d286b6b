/** Starts the stand-in service: API, authentication, storage and control, each an origin of its own. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlHandler } from './control/control-server';
import { gateway } from './http/gateway';
import { Origin } from './http/origin';
import { routes } from './routes';
import { type SandboxSettings, settingsSchema } from './settings';
import { ByteStore } from './storage/byte-store';
import { resumeHashing, vault } from './storage/vault';
import { World } from './world';

export type { SandboxSettings } from './settings';

export interface SandboxOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** 0 or absent: a free port. */
  ports?: { api?: number; auth?: number; storage?: number; control?: number };
  /** State is kept here and survives kill -9; without it nothing outlives the process. */
  dataDir?: string;
  /** Keep the bytes as files under `dataDir`; otherwise they are hashed and dropped. */
  keepBytes?: boolean;
  settings?: Partial<SandboxSettings>;
}

export interface Sandbox {
  apiUrl: string;
  authUrl: string;
  storageUrl: string;
  controlUrl: string;
  /** Resets open connections; resolves when all ports are free again. */
  close(): Promise<void>;
}

/** Rejects when a port is taken, a setting is wrong, or bytes are to be kept nowhere. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', ports = {}, dataDir, keepBytes = false } = options;
  if (keepBytes && dataDir === undefined) throw new Error('keepBytes needs a dataDir');
  const world = new World(
    settingsSchema.partial().parse(options.settings ?? {}) as Partial<SandboxSettings>,
    dataDir ?? null,
  );
  const spool = dataDir === undefined ? mkdtempSync(join(tmpdir(), 'sandbox-')) : join(dataDir, 'bytes');
  const store = new ByteStore(spool, { keep: keepBytes, ephemeral: dataDir === undefined });
  const api = new Origin(gateway(world, 'api', routes), host, ports.api ?? 0);
  const auth = new Origin(gateway(world, 'auth', routes), host, ports.auth ?? 0);
  const storage = new Origin(vault(world, store), host, ports.storage ?? 0);
  const origins = { api, auth, storage };
  const control = new Origin(controlHandler(world, origins), host, ports.control ?? 0);
  const close = async () => {
    await Promise.all([api, auth, storage, control].map(origin => origin.close()));
    world.close();
    store.dispose();
  };
  try {
    for (const origin of [api, auth, storage, control]) await origin.listen();
  } catch (error) {
    await close();
    throw error;
  }
  world.urls = { api: api.url, auth: auth.url, storage: storage.url, control: control.url };
  resumeHashing(world, store);
  return { apiUrl: api.url, authUrl: auth.url, storageUrl: storage.url, controlUrl: control.url, close };
}
