// What was set apart, and its ways back.

export const apart = {
  /** By code of the reason: what its group is called. */
  titles: {
    'empty-file': 'The file is empty',
    'too-large': 'The file is too large',
    'not-a-file': 'It is no file',
    shortcut: 'It is a shortcut to a file',
    'linked-twice': 'The file has a second name',
    'unreadable-name': 'The name cannot be read',
    'control-characters': 'The name has hidden signs',
    'direction-marks': 'The name has hidden signs',
    'blank-name': 'The name is blank',
    'too-long': 'The name is too long',
    'keeps-changing': 'The file kept changing',
    'unreadable-file': 'The file could not be read',
    'file-changed': 'The file changed while it was sent',
    'file-missing': 'The file was gone',
    'file-unreadable': 'The file could not be read',
    'size-refused': 'The service refused the size of the file',
    'type-refused': 'The service refused this kind of file',
    'session-refused': 'The upload was refused',
    'too-slow': 'Sending the file took too long',
    'storage-refused': 'The storage refused the file',
    'report-refused': 'The upload was not taken as whole',
    'never-available': 'The upload never became ready',
    'ambiguous-value': 'A value could mean more than one',
    'inactive-value': 'A value is no longer in use',
    'list-not-shown': 'The service does not show the list of a field',
    'malformed-value': 'A value is not written as it should be',
    'missing-values': 'Values are missing',
    'too-many-values': 'There are too many values for a field',
    'unknown-field': 'A field is not one of this project',
    'unknown-value': 'A value is not one of this project',
    INVALID_PROPERTY: 'The service refused a value',
    INVALID_INPUT: 'The service refused the values',
    'register-unusable': 'The register cannot be used',
    'register-alone': 'The register came without files',
    'register-later': 'The register came after its files',
    'receipt-alone': 'The receipt came without files',
    'register-header': 'The header of the register has faults',
    'register-row': 'The row of the register has faults',
    'not-listed': 'No row of the register is about it',
    'link-failed': 'Its upload could not be found again',
    'values-unconfirmed': 'The service did not confirm its values',
    'values-changed': 'Somebody may have changed the values that were answered',
    'name-mismatch': 'The service has it under another name',
    'event-id-missing': 'The service did not say what became of it',
    'taken-by-a-person': 'Somebody submitted it in the service',
    'perhaps-taken': 'Somebody may have submitted it in the service',
    'perhaps-submitted': 'It may have become a revision',
    'comes-and-goes': 'Its upload came and went in the service',
    'not-carried': 'It was not brought to its end',
    DUPLICATE_REVISION: 'The revision exists already, with other content',
    WORKFLOW_CONFLICT: 'A review stands against it',
    WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION: 'A review stands against it, of somebody else',
    UPLOAD_NOT_FOUND: 'Its upload was gone from the service',
    FILE_KEY_MISMATCH: 'Its upload was not the one that was sent',
    CONCURRENCY_CONFLICT: 'Somebody changed the document at the same time',
    UNKNOWN_FAILURE: 'The service refused it without saying why',
    ACCESS_DENIED: 'The account may not do this',
    PERMISSION_DENIED: 'The account may not do this',
    INVALID_TOKEN: 'The sign-in was refused',
    INTERNAL_ERROR: 'The service failed over it',
    NOT_FOUND: 'The service did not find it',
    'hold-expired': 'Not answered in time',
    'set-apart-by-person': 'A person set it apart',
  },
  otherTitle: 'The service refused it',
  /** Why a document would come back if it was tried again as it is. */
  stands: {
    sameFile: 'The file is the same; it would come back.',
    sameValues: 'Its values are the same; unless the project has changed, it would come back.',
    sameRegister: 'Its register is the same; it would come back.',
    sameRights: 'Unless the account was given the right since, it would come back.',
  },
  unreadReceipt: (batchId: string, fault: string) =>
    `A receipt in attention/${batchId} could not be read: ${fault}`,
  unreadShare: (share: string, fault: string) => `The share ${share} could not be read: ${fault}`,
  nothingLeft: 'Nothing of this job is set apart any more.',
  othersOnTheWay:
    'Others of this job are still on their way. Its values can be corrected here once it has its receipt.',
  again: {
    mayNot: (share: string) => `You may not do this on the share ${share}.`,
    noRows:
      'Values can be corrected here for files that came in a folder, once nothing of it is on its way any more. Drop others again, with a register.',
    wait: (name: string, why: string) => `${name} waits to be brought to the drop folder: ${why}.`,
    countWaiting: (count: number, why: string) => `${count} wait to be brought to the drop folder: ${why}.`,
    nameTaken: (name: string) => `${name} stays: the drop folder has a file of this name.`,
    gone: (name: string) => `${name} does not lie there any more: somebody took it up.`,
    cannotMove: (name: string, why: string) =>
      `${name} stays: it cannot be moved just now (${why}). Somebody may have it open.`,
    notMoved: (why: string) => `These stay: they cannot be moved just now (${why}).`,
    unclear: (name: string, lying: string) =>
      `${name} stays: several files of this path were set apart, and which of those that lie there (${lying}) it is cannot be told. Drop the right one by hand.`,
    countGone: (count: number) =>
      count === 1
        ? 'One does not lie there any more: somebody took it up.'
        : `${count} do not lie there any more: somebody took them up.`,
    countLater: (count: number) =>
      count === 1
        ? 'One stays until its folder has its receipt: it came with a register, and goes with its row then.'
        : `${count} stay until their folders have their receipts: they came with a register, and go with their rows then.`,
    countNever: (count: number) =>
      count === 1
        ? 'One stays: it came with a register that no folder keeps, and would go without its row. Drop it with a register that lists it.'
        : `${count} stay: they came with a register that no folder keeps, and would go without their rows. Drop them with a register that lists them.`,
  },
  replace: {
    gone: 'It does not lie there any more: it goes on already, or somebody took it up.',
    noReceipt:
      'Others of its folder are still on their way. Its file can be replaced here once the folder has its receipt.',
    notOfFile: 'What is wrong with this document is not cured by another file.',
    lookFirst: 'There may be a revision of it by now: look into the service first.',
    empty: 'This file is empty.',
    noEnding: 'The file has an ending to its name, and the one that it is for has none.',
    otherEnding: (ending: string) =>
      `The file must end in ${ending}, like the one that it is for: its name stays as it is.`,
    waits: (why: string) => `It waits: ${why}.`,
    notKnown: 'There is no such file on its way. Give it again.',
  },
  receipt: {
    none: 'Nothing of this job has ended yet, or it is not known here.',
    noJob: 'This job is not known here.',
    notYet: 'This job has no receipt yet: it is proven once it is finished.',
    nothingTaken: (fault: string) => `${fault} Nothing was taken.`,
    notOurs:
      'Its rows are of no job of this share, so nothing was taken. Take the receipt as it came, with its column "Receipt row", and correct that.',
  },
};
