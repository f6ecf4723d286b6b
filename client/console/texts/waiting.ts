// What waits for people, and their answers.

export const waiting = {
  away: 'Whoever takes answers is away. What you see is from before; answers can be saved when it is back.',
  someAway: 'Some batches do not answer just now; what you see of them is from before.',
  nothingSent: 'Whoever takes answers is away. Nothing was sent; save again when it is back.',
  mayNotAnswer: (share: string) => `Answering on ${share} needs the role "answer".`,
  tooLittle: 'These answers say too little. Nothing was sent.',
  giveValues: 'Give values, or a decision.',
  giveReason: 'Say why the review is ended.',
  giveStatus: 'Say which status its revisions get.',
  notThere: 'It does not wait any more.',
  notTaken:
    'Nobody has taken the answer within a minute. It may still be taken; what waits on then can be answered again.',
  fieldsUnknown: 'The fields of the project are not known yet. They were asked for; try again soon.',
  severalWait: (count: number) =>
    `${count} documents of this path wait, of several jobs or batches. Answer them in the grid.`,
  nothingLacks: 'No document waits for a value.',
};
