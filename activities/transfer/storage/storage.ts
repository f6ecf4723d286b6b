// The storage behind presigned addresses: the port, and its adapter on undici. One attempt a
// call; who calls decides on another.

import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher, request } from 'undici';
import { type Clock, systemClock } from '../../host/clock';
import { codeOf, hasCode } from '../../host/error-code';
import { parseHttpDate, parseRetryAfter } from '../../host/retry-after';
import { StorageFaultError, type TransferErrorCode, UnsafeTargetError } from '../errors';
import type { PresignedSegment } from '../ports';
import type { SegmentBody, SegmentSource } from '../source/segment-source';
import { FileSystemError } from '../source-faults';
import { describeTarget, guardedLookup, type Target, toTarget } from './presigned-target';
import { toFaultKind } from './storage-faults';
import { Watchdog } from './watchdog';

export interface PutInput {
  segment: PresignedSegment;
  source: SegmentSource;
  signal: AbortSignal;
  /** Bytes that left since the last call. */
  onBytes?: (sizeBytes: number) => void;
}

export interface Storage {
  /**
   * Sends the segment's bytes once and returns the ETag without quotes. Rejects with StorageFaultError, with
   * UnsafeTargetError, with what the source threw, or with the signal's reason.
   */
  put(input: PutInput): Promise<{ etag: string }>;
}

export interface UndiciStorageOptions {
  /** For tests and the stand-in: plain http and loopback hosts. */
  allowInsecureLoopback?: boolean;
  /** For a storage in a network of one's own. */
  allowPrivate?: boolean;
  /** Connections to one origin. */
  connections?: number;
  /** A PUT that has a connection, and of which no byte moved for so long, is ended. */
  stallMs?: number;
  /**
   * How long the response may take after the last byte; includes what still lies in the system's send buffer.
   */
  responseMs?: number;
  connectMs?: number;
  /** PEM; trusted besides the usual authorities. */
  caBundle?: string;
  clock?: Clock;
}

// At 60 s for a stall: a connection that carries 4.5 kB/s is not cut. With whole chunks of 1 MiB it would be
// 17.5, also where a proxy takes the first ones quickly.
const FAST_PIECE_BYTES = 256 * 1024;
// A small file in one piece goes out with its head, in one call of the system.
const SLOW_PIECE_BYTES = 128 * 1024;
const MAX_RESPONSE_BYTES = 64 * 1024;
const DRAIN_MS = 10_000;
// Short, since a kept connection that died in the meantime costs a PUT.
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MAX_MS = 10_000;

export class UndiciStorage implements Storage {
  readonly #agent: Agent;
  readonly #allowInsecureLoopback: boolean;
  readonly #stallMs: number;
  readonly #responseMs: number;
  readonly #clock: Clock;

  constructor(options: UndiciStorageOptions = {}) {
    this.#allowInsecureLoopback = options.allowInsecureLoopback ?? false;
    this.#stallMs = options.stallMs ?? 60_000;
    this.#responseMs = options.responseMs ?? 120_000;
    this.#clock = options.clock ?? systemClock;
    const longest = Math.max(this.#stallMs, this.#responseMs);
    this.#agent = new Agent({
      connections: options.connections ?? 16,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      // The watchdog is the finer net; these catch what it cannot see.
      headersTimeout: longest + 30_000,
      bodyTimeout: DRAIN_MS,
      allowH2: false,
      connect: {
        timeout: options.connectMs ?? 10_000,
        // Also in a process that was started with NODE_TLS_REJECT_UNAUTHORIZED=0.
        rejectUnauthorized: true,
        minVersion: 'TLSv1.2',
        lookup: guardedLookup({
          allowInsecureLoopback: this.#allowInsecureLoopback,
          allowPrivate: options.allowPrivate ?? false,
        }),
        ...(options.caBundle === undefined ? {} : { ca: [...rootCertificates, options.caBundle] }),
      },
    });
  }

  async put(input: PutInput): Promise<{ etag: string }> {
    const { segment, source, signal, onBytes } = input;
    signal.throwIfAborted();
    const target = toTarget(segment, source.sizeBytes, {
      allowInsecureLoopback: this.#allowInsecureLoopback,
    });
    const body = source.open();
    const watchdog = new Watchdog(this.#stallMs, signal);
    let isSent = false;
    let isFlushed = false;
    try {
      const response = await request(target.origin + target.path, {
        dispatcher: this.#agent,
        method: 'PUT',
        headers: target.headers,
        // An async iterable, as undici documents it; its types leave it out.
        body: this.#watched(body, watchdog, onBytes, () => {
          isSent = true;
        }) as unknown as Uint8Array,
        signal: watchdog.signal,
      });
      isFlushed = isSent;
      await drain(response, watchdog);
      return { etag: readResponse(response, target, this.#clock.wallMs()) };
    } catch (error: unknown) {
      throw this.#explain(error, { body, watchdog, signal, target });
    } finally {
      watchdog.stop();
      body.close(isFlushed);
    }
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  #explain(
    error: unknown,
    at: { body: SegmentBody; watchdog: Watchdog; signal: AbortSignal; target: Target },
  ): unknown {
    const { body, watchdog, signal, target } = at;
    if (body.failure !== undefined) return body.failure;
    if (signal.aborted) return signal.reason;
    if (hasCode<TransferErrorCode>(error, 'STORAGE_FAULT', 'UNSAFE_TARGET')) return error;
    if (watchdog.hasFired && this.#isReadHung(body)) return new FileSystemError('ETIMEDOUT');
    const kind = watchdog.hasFired ? 'stalled' : toFaultKind(error);
    if (kind === 'not-a-fault') return error;
    if (kind === 'unusable')
      return new UnsafeTargetError('the storage address or its headers cannot be sent');
    // undici's own message may quote what it was given; only its code goes on.
    const detail = `PUT to ${describeTarget(target)} ended: ${kind} (${codeOf(error) ?? 'no answer in time'})`;
    return new StorageFaultError({ kind, detail });
  }

  /** A read that has only just begun is not what was waited for. */
  #isReadHung({ readingSinceMs }: SegmentBody): boolean {
    return readingSinceMs !== undefined && systemClock.monotonicMs() - readingSinceMs > this.#stallMs / 2;
  }

  async *#watched(
    body: SegmentBody,
    watchdog: Watchdog,
    onBytes: PutInput['onBytes'],
    onSent: () => void,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const pieces = new PieceSize();
    // The bytes are asked for only once there is a connection.
    watchdog.progress();
    for await (const chunk of body.chunks()) {
      for (let from = 0; from < chunk.length; ) {
        const piece = chunk.subarray(from, from + pieces.next());
        yield piece;
        pieces.sent();
        watchdog.progress();
        onBytes?.(piece.length);
        from += piece.length;
      }
    }
    watchdog.expectResponse(this.#responseMs);
    onSent();
  }
}

/**
 * Only a piece that has left shows that bytes still move, so pieces are small where the line is slow, and
 * nowhere so big that one could take as long as a stall.
 */
class PieceSize {
  #sizeBytes = SLOW_PIECE_BYTES;
  #startedMs = 0;

  next(): number {
    this.#startedMs = systemClock.monotonicMs();
    return this.#sizeBytes;
  }

  sent(): void {
    const tookMs = systemClock.monotonicMs() - this.#startedMs;
    if (tookMs < 250) this.#sizeBytes = FAST_PIECE_BYTES;
    else if (tookMs > 1_000) this.#sizeBytes = SLOW_PIECE_BYTES;
  }
}

async function drain(response: Dispatcher.ResponseData, watchdog: Watchdog): Promise<void> {
  // Everything that matters is in the status line and the headers; a body that
  // drips or breaks changes nothing.
  watchdog.expectResponse(DRAIN_MS);
  await response.body.dump({ limit: MAX_RESPONSE_BYTES }).catch(() => undefined);
}

function readResponse(response: Dispatcher.ResponseData, target: Target, nowMs: number): string {
  const { statusCode: status, headers } = response;
  const at = describeTarget(target);
  if (status === 200 || status === 201 || status === 204) {
    const etag = typeof headers.etag === 'string' ? unquote(headers.etag) : '';
    if (/^[\x21\x23-\x7e]{1,512}$/.test(etag)) return etag;
    throw new StorageFaultError({
      kind: 'malformed',
      status,
      detail: `${at} answered ${status} without an ETag`,
    });
  }
  const isBusy = status === 408 || status === 425 || status === 429 || status >= 500;
  const retryAfter = headers['retry-after'];
  // A date is one of the storage's clock, which it tells; ours may be wrong by minutes.
  const storageMs = typeof headers.date === 'string' ? parseHttpDate(headers.date) : undefined;
  const retryAfterMs =
    isBusy && typeof retryAfter === 'string' ? parseRetryAfter(retryAfter, storageMs ?? nowMs) : undefined;
  throw new StorageFaultError({
    kind: isBusy ? 'busy' : 'refused',
    status,
    detail: `${at} answered ${status}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function unquote(etag: string): string {
  return etag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1');
}
