// Jobs that are dropped on the page.

export const drop = {
  isAway: 'It is away.',
  cannotBeTaken: 'This cannot be taken as it is.',
  noRoom: (free: string, needed: string) => `There is no room on the share: ${free} free, ${needed} needed.`,
  noUpload: 'There is no such upload. It was sent or given up, or nobody went on with it.',
  shareFull: 'The share has no room left. What has come is kept; go on when there is room.',
  shareSilent: 'The share does not answer just now. What has come is kept.',
  notWhole: 'Not all of it is there yet.',
  sentAlready: 'It was sent already: it is a job by now.',
  noTemplate: 'There is no template, or somebody has changed the one on the share.',
  otherProtocol: (version: string) => `This speaks tus ${version} only.`,
  tooManyBytes: 'More bytes came than the file has.',
  brokenOff: 'The connection ended before all had come.',
  noNumber: 'This is no number.',
  otherWindow: 'Another window is sending this just now.',
  test: {
    none: 'It was not tested.',
    failed: 'The test run ended without a result. An operator sees why in its run.',
    cannotRun: 'Tests cannot be run just now: Temporal is away. Nothing is lost.',
  },
};
