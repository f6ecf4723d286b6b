// What is away, and what stopped short.

export const operations = {
  noAnswer: 'it does not answer',
  noWorker: 'No worker is running.',
  serviceUnserved: 'No worker asks the service.',
  unserved: (shares: readonly string[]) =>
    `No worker serves ${shares.map(name => `share ${name}`).join(', ')}.`,
  batchesLimited: (count: string) => `No more than the newest ${count} running batches were looked at.`,
  othersLimited: (count: string) => `No more than the newest ${count} of the other runs were looked at.`,
  stoppedLimited: (count: string) =>
    `No more than the newest ${count} unfinished runs of batches were looked at. Of shares that are not seen here, more may have stopped.`,
  cannotResume: 'Temporal is away: nothing can be resumed before it is back.',
};
