// Stands in for the thread that writes sheets, where that of a register is to be too large:
// `jest.mock('…/write-in-thread', () => jest.requireActual('…/mock-writing').writing.mock())`.
import type { SheetTask } from '../../../../activities/registers/receipt/write-in-thread';
import { SheetError } from '../../../../activities/registers/sheet/sheet-error';

export const writing = {
  isRegisterTooLarge: false,

  mock() {
    const real = jest.requireActual('../../../../activities/registers/receipt/write-in-thread');
    return {
      writeInThread: async (task: SheetTask) => {
        if (writing.isRegisterTooLarge && task.kind.startsWith('register-'))
          throw new SheetError('too-large', 'no');
        return await real.writeInThread(task);
      },
    };
  },
};
