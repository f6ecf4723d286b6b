// What the HTTP client's error codes say about a PUT. Pure.

import { codeOf } from '../../host/error-code';
import type { StorageFaultKind } from '../errors';

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const RESET = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
]);

/**
 * `unusable`: the request itself cannot be sent, ever. `not-a-fault`: nothing a network
 * does; a bug, or our own abort.
 */
export function toFaultKind(error: unknown): StorageFaultKind | 'unusable' | 'not-a-fault' {
  const code = codeOf(error);
  if (code === undefined) return 'not-a-fault';
  if (UNREACHABLE.has(code) || isTlsCode(code)) return 'unreachable';
  if (RESET.has(code)) return 'reset';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'stalled';
  if (code === 'UND_ERR_INVALID_ARG') return 'unusable';
  if (
    code.startsWith('HPE_') ||
    code === 'UND_ERR_HEADERS_OVERFLOW' ||
    code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
  ) {
    return 'malformed';
  }
  return faultOfCall(error) ?? 'not-a-fault';
}

/**
 * What the system refused of a connection is a fault of the network, whatever its code: a machine may be
 * short of descriptors or memory for a while. Errors of the file do not come here: storage.ts tells them
 * first.
 */
function faultOfCall(error: unknown): 'unreachable' | 'reset' | undefined {
  // Where several addresses of a host were tried, the first of their errors stands for all.
  const { errors } = error as { errors?: readonly unknown[] };
  const { syscall } = (errors?.[0] ?? error) as { syscall?: unknown };
  if (syscall === 'connect' || syscall === 'getaddrinfo') return 'unreachable';
  return syscall === 'read' || syscall === 'write' ? 'reset' : undefined;
}

function isTlsCode(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code);
}
