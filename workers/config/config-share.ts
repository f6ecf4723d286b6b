// From a share's section of the config file to what the share and the workflow work with.
import { resolve } from 'node:path';

import { compilePattern } from '../../activities/share/drop/pattern';
import type { ShareConfig } from '../../activities/share/share-config';
import type { BatchPolicy, RegisterRules } from '../../workflows/ingest/ingest-contract';
import type { ShareSettings } from './share-section';

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
    jobMarker: share.job.marker,
    maxOpenBatches: share.batch.maxOpen,
    maxFileBytes: share.maxFileBytes,
    ...(share.fileNamePattern === undefined ? {} : { fileNamePattern: share.fileNamePattern }),
    ...(share.folderPattern === undefined ? {} : { folderPattern: share.folderPattern }),
    register: {
      pattern: share.register.pattern,
      waitMs: share.register.wait,
      template: share.register.template === false ? undefined : share.register.template,
      leavesUnlisted: share.register.unlisted === 'leave',
    },
    receiptDelimiter: share.receipt.delimiter === 'tab' ? '\t' : share.receipt.delimiter,
    ...(share.timeZone === undefined ? {} : { timeZone: share.timeZone }),
    policy: toPolicy(share),
    duplicates: share.duplicates,
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
    ...(Object.keys(share.values).length === 0 ? {} : { values: share.values }),
    register: toRegisterRules(share),
    naming: share.documentName,
    patternFields: listPatternFields(share),
    createOneByOne: share.createOneByOne,
  };
}

function toRegisterRules({ register }: ShareSettings): RegisterRules {
  const { synonyms, dates, emptyWord, unlisted } = register;
  // With "leave" a folder's unlisted files are not claimed. One that is in a batch all the same is held.
  const ofClaimed = unlisted === 'leave' ? 'hold' : unlisted;
  return { synonyms, ...(dates === undefined ? {} : { dates }), emptyWord, unlisted: ofClaimed };
}

function listPatternFields({ fileNamePattern, folderPattern }: ShareSettings): readonly string[] {
  const names = [fileNamePattern, folderPattern].flatMap(source =>
    source === undefined ? [] : compilePattern(source).names,
  );
  return [...new Set(names)];
}
