// The types of pace.cjs.
export class Pace {
  /**
   * @param always so many run at one time on any machine
   * @param look whether the machine has room for one more
   */
  constructor(always: number, look?: () => Promise<boolean>);
  begin(): Promise<void>;
  end(): void;
}
