// From a share's section of the config file to what the share and the workflow work with.
import { resolve } from 'node:path';

import { compilePattern } from '../../activities/share/drop/pattern';
import type { ShareConfig } from '../../activities/share/share-config';
import type { BatchPolicy } from '../../workflows/ingest/ingest-contract';
import type { ConfigFault, ConfigReading } from './config-reading';
import type { ShareSettings } from './config-schema';
import { parseKey, readSecret } from './config-secrets';
import type { SecretReference } from './config-values';

/** The setting `shareKey`, read: watchers need it, too, though they have no other secret. */
export function readShareKeySetting(
  reference: SecretReference | undefined,
  input: ConfigReading,
): { readonly key?: Buffer; readonly faults: readonly ConfigFault[] } {
  if (reference === undefined) return { faults: [] };
  const outcome = readSecret(reference, input.environment, input.folder);
  if ('fault' in outcome) return { faults: [{ path: 'shareKey', text: outcome.fault }] };
  const key = parseKey(outcome.value);
  return key === undefined
    ? {
        faults: [{ path: 'shareKey', text: 'expected 32 bytes, as 64 hexadecimal digits or base64' }],
      }
    : { key, faults: [] };
}

/** The share's configuration, its folder absolute. */
export function toShareConfig(share: ShareSettings, baseFolder: string): ShareConfig {
  return {
    name: share.name,
    folder: resolve(baseFolder, share.folder),
    project: share.project,
    createFolder: share.createFolder,
    drop: share.drop,
    done: share.done,
    attention: share.attention,
    settleMs: share.settle,
    scanEveryMs: share.scanEvery,
    polling: share.polling,
    maxBatchFiles: share.batch.maxFiles,
    maxBatchBytes: share.batch.maxBytes,
    quietMs: share.batch.quiet,
    maxOpenBatches: share.batch.maxOpen,
    maxFileBytes: share.maxFileBytes,
    ...(share.fileNamePattern === undefined ? {} : { fileNamePattern: share.fileNamePattern }),
    ...(share.folderPattern === undefined ? {} : { folderPattern: share.folderPattern }),
    policy: toPolicy(share),
    takeOverMs: share.takeOver,
    passStoppedMs: share.passStopped,
  };
}

function toPolicy(share: ShareSettings): BatchPolicy {
  return {
    conflict: typeof share.conflict === 'string' ? { kind: share.conflict } : share.conflict,
    missing: share.missing,
    holdMs: share.hold,
    conflictRetryMs: share.conflictRetry,
    analysis: {
      firstLookMs: share.analysis.firstLook,
      everyMs: share.analysis.every,
      typicalMs: share.analysis.typical,
      forMs: share.analysis.for,
    },
    lookAgain: { everyMs: share.lookAgain.every, forMs: share.lookAgain.for },
    transferChunk: share.transferChunk,
    linkWithinMs: share.linkWithin,
    defaults: share.defaults,
    naming: share.documentName,
    patternFields: listPatternFields(share),
    createOneByOne: share.createOneByOne,
  };
}

function listPatternFields({ fileNamePattern, folderPattern }: ShareSettings): readonly string[] {
  const names = [fileNamePattern, folderPattern].flatMap(source =>
    source === undefined ? [] : compilePattern(source).names,
  );
  return [...new Set(names)];
}
