// Everything a test of whole transfers needs, new for each test: folder, storage,
// sessions, clock, hash threads.

import { createLimit, type Limit } from '../../../activities/host/concurrency';
import type { Evidence } from '../../../activities/transfer/evidence';
import { HashPool } from '../../../activities/transfer/hashing/hash-file';
import type { FileProgress, FileToSend, TransferOutcome } from '../../../activities/transfer/ports';
import { UndiciStorage } from '../../../activities/transfer/storage/storage';
import { transferFiles } from '../../../activities/transfer/transfer-files';
import type { TransferLimits } from '../../../activities/transfer/transfer-run';
import { FakeClock } from './fake-clock';
import { ADDRESS_SECRET, FakeSessions } from './fake-sessions';
import { FakeStorageServer } from './fake-storage-server';
import { openFilesUnder, SampleFolder } from './sample-files';

/** What sessions throw when a call has no answer that says anything. */
export class NoAnswer extends Error {}

export interface Told {
  key: number;
  progress: FileProgress;
  bytesSent: number;
}

export class TransferBed {
  readonly clock = new FakeClock();
  readonly told: Told[] = [];
  readonly logged: unknown[] = [];
  /** What the next call is cancelled with. */
  abort = new AbortController();
  readonly folder: SampleFolder;
  readonly server: FakeStorageServer;
  readonly sessions: FakeSessions;
  readonly hashing = new HashPool({ threads: 2 });
  /** Patient, for the machine may be busy. */
  storage = newStorage(20_000);
  slots: Limit | undefined;
  /** What all calls of a process know; each call by itself without it. */
  evidence: Evidence | undefined;

  private constructor(folder: SampleFolder, server: FakeStorageServer) {
    this.folder = folder;
    this.server = server;
    this.sessions = new FakeSessions(server, this.clock);
  }

  static async create(): Promise<TransferBed> {
    return new TransferBed(await SampleFolder.create(), await FakeStorageServer.start());
  }

  /**
   * Ends everything, then fails when the test left a file open or an address in
   * what the engine told or logged.
   */
  async close(): Promise<void> {
    const openFiles = await openFilesUnder(this.folder.path);
    await this.server.close();
    await this.storage.close();
    await this.hashing.close();
    await this.folder.remove();
    expect(openFiles).toEqual([]);
    expect(JSON.stringify([this.told, this.logged])).not.toContain(ADDRESS_SECRET);
  }

  /** As a process has it that sends for many: whoever has no turn waits here. */
  async useOneConnection(): Promise<void> {
    await this.storage.close();
    this.storage = newStorage(20_000, 1);
    this.slots = createLimit(1);
  }

  /** For faults that show only in time. */
  async useImpatientStorage(): Promise<void> {
    await this.storage.close();
    this.storage = newStorage(500);
  }

  transfer(
    files: readonly FileToSend[],
    options: { progress?: readonly (FileProgress | undefined)[]; limits?: Partial<TransferLimits> } = {},
  ): Promise<Map<number, TransferOutcome>> {
    const { clock, sessions, storage, hashing, slots, evidence } = this;
    const log = {
      debug: (...entry: unknown[]) => this.logged.push(entry),
      warn: (...entry: unknown[]) => this.logged.push(entry),
    };
    return transferFiles(
      {
        files: files.map((file, key) => {
          const progress = options.progress?.[key];
          return progress === undefined ? { key, file } : { key, file, progress };
        }),
        signal: this.abort.signal,
        onProgress: (key, progress, bytesSent) => this.told.push({ key, progress, bytesSent }),
      },
      {
        sessions,
        storage,
        hashing,
        clock,
        log,
        limits: { drainMs: 500, ...options.limits },
        ...(slots === undefined ? {} : { slots }),
        ...(evidence === undefined ? {} : { evidence }),
        mayBeOfOneFile: (error: unknown) => error instanceof NoAnswer,
      },
    );
  }

  /** What was told last of a file: what a later attempt would begin with. */
  lastProgress(key: number): FileProgress | undefined {
    return this.told.findLast(each => each.key === key)?.progress;
  }

  /** The hashes of the bytes that the storage took for a session, by segment. */
  taken(sessionId: string): (string | undefined)[] {
    const { file } = this.sessions.session(sessionId);
    return file.segments.map((_, index) => {
      const puts = this.server.succeeded().filter(put => put.path === `/${sessionId}/${index}`);
      return puts.at(-1)?.sha256;
    });
  }
}

function newStorage(stallMs: number, connections = 16): UndiciStorage {
  return new UndiciStorage({ allowInsecureLoopback: true, connections, stallMs, responseMs: stallMs });
}
