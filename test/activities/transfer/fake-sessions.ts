// Upload sessions with state, over a FakeStorageServer: strict where the service is, and scripted to
// fail before or after an effect.

import type { Clock } from '../../../activities/host/clock';
import { ReportRefusedError } from '../../../activities/transfer/errors';
import type {
  FileToSend,
  OpenedSession,
  PresignedSegment,
  SessionLook,
  SessionStatus,
  UploadSessions,
} from '../../../activities/transfer/ports';
import { etagOf, type FakeStorageServer } from './fake-storage-server';

export type SessionCall = 'open' | 'report' | 'look';

interface Session {
  id: string;
  file: FileToSend;
  reported: (string | null)[];
  status: SessionStatus;
  addressGeneration: number;
  openedAtMs: number;
  availableAtMs: number;
  isGone: boolean;
}

interface Script {
  call: SessionCall;
  when: 'before' | 'after';
  error: unknown;
  fileName: string | undefined;
  times: number;
}

export class FakeSessions implements UploadSessions {
  readonly calls: { call: SessionCall; sessionId: string; fileName: string; atMs: number }[] = [];
  readonly sessions: Session[] = [];
  /** From complete to available. */
  scanMs = 500;
  /** Answers `available` to the report at once. */
  isInstant = false;
  /** Sessions of these files complete and are never available; with a number, only the first so many. */
  readonly neverAvailable = new Map<string, number>();
  addressLifetimeMs: number | undefined;
  onCall: (call: SessionCall) => void = () => undefined;
  headers: Record<string, string> = { 'x-storage-token': 'given' };
  private readonly scripts: Script[] = [];
  private readonly storage: FakeStorageServer;
  private readonly clock: Clock;

  constructor(storage: FakeStorageServer, clock: Clock) {
    this.storage = storage;
    this.clock = clock;
    const sessionAt = (path: string) => this.sessions.find(each => path.startsWith(`/${each.id}/`));
    storage.fileNameOf = path => sessionAt(path)?.file.fileName;
    storage.isValid = (path, query) => {
      const session = sessionAt(path);
      return session !== undefined && !session.isGone && query === querySecret(session.addressGeneration);
    };
  }

  failNext(call: SessionCall, error: unknown, options: Partial<Omit<Script, 'call' | 'error'>> = {}): void {
    this.scripts.push({ call, error, when: 'before', fileName: undefined, times: 1, ...options });
  }

  count(call: SessionCall): number {
    return this.calls.filter(each => each.call === call).length;
  }

  expireAddresses(sessionId: string): void {
    this.session(sessionId).addressGeneration += 1;
  }

  forget(sessionId: string): void {
    this.session(sessionId).isGone = true;
  }

  session(sessionId: string): Session {
    const found = this.sessions.find(each => each.id === sessionId);
    if (found === undefined) throw new Error(`no session ${sessionId}`);
    return found;
  }

  async open(file: FileToSend): Promise<OpenedSession> {
    return this.scripted('open', file.fileName, `s${this.sessions.length + 1}`, () => {
      const session: Session = {
        id: `s${this.sessions.length + 1}`,
        file,
        reported: file.segments.map(() => null),
        status: 'ready',
        addressGeneration: 0,
        openedAtMs: this.clock.wallMs(),
        availableAtMs: Number.POSITIVE_INFINITY,
        isGone: false,
      };
      this.sessions.push(session);
      return { sessionId: session.id, segments: this.addresses(session) };
    });
  }

  async report(sessionId: string, partEtags: readonly (string | null)[]): Promise<SessionStatus> {
    const session = this.session(sessionId);
    return this.scripted('report', session.file.fileName, sessionId, () => {
      const expected = session.file.segments.map(segment => etagOf(segment.sha256));
      const isRight = partEtags.every((etag, index) => etag === null || etag === expected[index]);
      if (session.isGone || !isRight || partEtags.length !== expected.length) {
        throw new ReportRefusedError('refused by the fake');
      }
      session.reported = [...partEtags];
      if (partEtags.includes(null)) session.status = 'receiving';
      else this.complete(session);
      return session.status;
    });
  }

  async look(sessionId: string): Promise<SessionLook> {
    const session = this.session(sessionId);
    return this.scripted('look', session.file.fileName, sessionId, () => {
      if (session.isGone) return { kind: 'gone' };
      if (session.status === 'complete' && this.clock.monotonicMs() >= session.availableAtMs) {
        session.status = 'available';
      }
      const freshSegments = this.addresses(session).filter((_, index) => session.reported[index] === null);
      return { kind: 'found', status: session.status, freshSegments };
    });
  }

  private complete(session: Session): void {
    const { fileName } = session.file;
    const left = this.neverAvailable.get(fileName) ?? 0;
    if (session.status !== 'complete') {
      this.neverAvailable.set(fileName, left - 1);
      session.availableAtMs = left > 0 ? Number.POSITIVE_INFINITY : this.clock.monotonicMs() + this.scanMs;
    }
    session.status = this.isInstant ? 'available' : 'complete';
  }

  private addresses(session: Session): PresignedSegment[] {
    return session.file.segments.map((_, index) => ({
      url: `${this.storage.url}/${session.id}/${index}?${querySecret(session.addressGeneration)}`,
      headers: this.headers,
      ...(this.addressLifetimeMs === undefined
        ? {}
        : { expiresAtMs: this.clock.wallMs() + this.addressLifetimeMs }),
    }));
  }

  private scripted<Answer>(
    call: SessionCall,
    fileName: string,
    sessionId: string,
    effect: () => Answer,
  ): Answer {
    this.calls.push({ call, sessionId, fileName, atMs: this.clock.monotonicMs() });
    this.onCall(call);
    const script = this.scripts.find(
      each =>
        each.call === call && each.times > 0 && (each.fileName === undefined || each.fileName === fileName),
    );
    if (script === undefined) return effect();
    script.times -= 1;
    if (script.when === 'after') effect();
    throw script.error;
  }
}

/** The secret part of every address; tests look for it where it must not be. */
export const ADDRESS_SECRET = 'canary-signature';

function querySecret(generation: number): string {
  return `signature=${ADDRESS_SECRET}&generation=${generation}`;
}
