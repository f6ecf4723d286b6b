/** Presigned addresses: whoever holds one may send one segment, until it expires. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FileUpload } from '../entities';
import type { World } from '../world';

/** As the file upload's answers carry it. */
export interface PresignedSegment {
  url: string;
  /** Unix seconds. */
  url_expires_at: number;
  headers: Record<string, string>;
}

export interface PresignedTarget {
  fileId: string;
  index: number;
  expiresAt: number;
}

/** A fresh address for segment `index`. */
export function presign(world: World, file: FileUpload, index: number): PresignedSegment {
  const expiresAt = Math.floor(world.after(world.settings.urlLifetimeSeconds * 1000));
  const path = `/vault/${file.id}/${index}`;
  const query = new URLSearchParams({ expires: String(expiresAt), signature: sign(world, path, expiresAt) });
  return {
    url: `${world.urls.storage}${path}?${query}`,
    url_expires_at: Math.floor(expiresAt / 1000),
    headers: segmentHeaders(file, index),
  };
}

/** The headers that must come with the bytes, no more and no less; lower-case names. */
export function segmentHeaders(file: FileUpload, index: number): Record<string, string> {
  const sha256 = file.segments[index]?.sha256 ?? '';
  return {
    'content-type': file.contentType,
    'x-vault-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
  };
}

/** What an address stands for, or null when it was not made here. Says nothing about its expiry. */
export function readPresigned(world: World, target: string): PresignedTarget | null {
  const url = new URL(target, 'http://storage.invalid');
  const match = /^\/vault\/([0-9A-Z]{26})\/(\d{1,5})$/.exec(url.pathname);
  const expiresAt = Number(url.searchParams.get('expires'));
  const given = Buffer.from(url.searchParams.get('signature') ?? '');
  const expected = Buffer.from(sign(world, url.pathname, expiresAt));
  if (match === null || given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return { fileId: match[1] ?? '', index: Number(match[2]), expiresAt };
}

function sign(world: World, path: string, expiresAt: number): string {
  return createHmac('sha256', world.signingKey).update(`${path} ${expiresAt}`).digest('hex');
}
