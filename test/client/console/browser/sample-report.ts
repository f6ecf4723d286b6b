// What a test run found, in tests of the view.
export const HOSTILE = '<img src=x onerror=alert(1)>.pdf';

export const SAMPLE_REPORT = {
  testedAt: '2026-11-23T10:14:00Z',
  tally: { through: 272, 'already-there': 4, open: 0, held: 20, 'set-apart': 2, 'not-there': 2 },
  sum: '272 would go through + 4 already there + 20 would be held + 2 would be set apart + 2 listed, not there = 300',
  cost: '',
  time: 'By the present limit of requests 27 min.',
  requests: 848,
  endsAt: '2026-11-23T10:41:00Z',
  register: 'register.csv',
  compared: { files: 31, all: 298, why: null },
  notices: [],
  left: [],
  stays: [`plans/${HOSTILE}`],
  onlyService: ['What it finds.'],
  reasons: [
    {
      foretold: 'held',
      count: 8,
      why: 'The project requires "Status", and nothing gives this value.',
      whatToDo: 'Give "Status".',
      rows: [{ row: 13, file: HOSTILE, name: null }],
    },
    { foretold: 'through', count: 272, why: 'Everything is known.', whatToDo: 'Nothing.', rows: [] },
  ],
  format: 'csv',
};
