// What is told instead of an answer, whatever was asked for.

export const asked = {
  /** By status. */
  refused: {
    400: 'This cannot be read.',
    404: 'There is nothing here.',
    405: 'This cannot be done here.',
    408: 'This took too long to arrive.',
    413: 'This is too much at once.',
    414: 'This address is too long.',
    415: 'This kind of content is not taken here.',
  } as Readonly<Record<number, string>>,
  refusedOtherwise: 'This cannot be done.',
  failed: 'This did not work. Nothing was changed that is not shown.',
  notAsItShouldBe: 'This was not asked as it should be.',
  nothingHere: 'There is nothing here.',
  otherAddress: 'The page does not go by this address.',
  otherPageAsks: 'Another page may not ask for this.',
  otherPageActs: 'Another page may not do this.',
  olderThanServer: 'This page is older than its server. Reload it.',
  tooManyLook: 'Too many pages look on just now. This one asks again by itself.',
  noShare: 'There is no such share.',
  noShareConfigured: 'No share is configured.',
  shareIsAway: (share: string, why: string | undefined) =>
    `The share ${share} is away: ${why ?? 'it is not seen'}`,
  shareIsLookedFor: 'It is being looked for.',
  shareHangs: 'It does not answer; the mount hangs.',
  noSheet: 'This is no sheet: send .xlsx or .csv, with its name.',
};
