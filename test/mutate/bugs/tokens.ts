// Bugs of the tokens and their store.
import { type Bug, bugsIn } from '../bug';

export const TOKEN_BUGS: readonly Bug[] = [
  ...bugsIn(
    'service',
    'activities/service/tokens/token-source.ts',
    'test/activities/service/tokens/token-source.test.ts',
    [
      [
        'each caller renews for itself',
        'this.#renewal ??= this.#renew',
        'this.#renewal = this.#renew',
        { harmless: 'The lock of the store lets one of them exchange; the others find its result there.' },
      ],
      ['an exchange is not noted before it is sent', 'async () => await this.#store.save(marked),', ''],
      [
        'a refresh token is sent a third time',
        'if (sendsBefore >= MOST_SENDS)',
        'if (sendsBefore > MOST_SENDS)',
      ],
      [
        'the new refresh token is not kept',
        'tokens.refreshToken?.reveal() ?? base?.refreshToken ?? null',
        'base?.refreshToken ?? tokens.refreshToken?.reveal() ?? null',
      ],
      ['a token that could not be saved is lost', '      this.#unsaved = record;\n', ''],
      [
        'a store of another client is used',
        'if (!isRecordOf(record, this.#config)) {',
        'if (record.generation < 0) {',
      ],
      [
        'a refused client burns the login',
        "if (outcome.refusal === 'invalid_grant')\n",
        "if (outcome.refusal !== 'login')\n",
      ],
      [
        'a token is renewed when it has ended',
        'renewAtMs: fromMs + leftMs - marginMs,',
        'renewAtMs: fromMs + leftMs,',
      ],
    ],
  ),
  ...bugsIn(
    'service',
    'activities/service/tokens/file-token-store.ts',
    'test/activities/service/tokens/file-token-store.test.ts',
    [
      [
        'tokens are saved by whoever has lost the lock',
        'if (!(await this.#held.isHeld())) {',
        'if (!this.#held) {',
      ],
      [
        'tokens are saved in the clear though there is a key',
        'this.#cipher.canSeal ? JSON',
        'this.#cipher.canSeal && record.generation < 0 ? JSON',
      ],
      [
        'a damaged store is an empty one',
        'if (!record.success) throw damaged();',
        'if (!record.success) return null as never;',
      ],
    ],
  ),
  ...bugsIn('service', 'activities/host/process-lock.ts', 'test/activities/host/process-lock.test.ts', [
    ['a lock of the dead holds for ever', "liveness === 'dead' ||", 'liveness === null ||'],
    [
      'a lock of another host is taken at once',
      "(liveness === 'elsewhere' && staleAfterMs !== undefined && (await this.#isOlder(number, staleAfterMs)))",
      "liveness === 'elsewhere'",
    ],
    [
      'a lock that cannot be read is free',
      'staleAfterMs === undefined || (await this.#isOlder(number, staleAfterMs));',
      'true;',
    ],
    [
      'who was thought dead goes on as the owner',
      'Math.max(...(await this.#listNumbers())) === number;',
      '(await this.#listNumbers()).includes(number);',
    ],
    [
      'a lock that a full disk keeps from being released is kept',
      "await this.#place(number, 'released', rename);\n    } catch {",
      "await this.#place(number, 'released', rename);\n    } catch (error) {\n      if (error !== undefined) throw error;",
    ],
    [
      'a number is given twice after a full disk',
      'rename(this.#pathOf(number - 1), this.#pathOf(number))',
      'unlink(this.#pathOf(number))',
    ],
    ['a lock that is touched grows old all the same', "await file.write('{', 0);", ''],
    [
      'a process of version 0.1.0 takes a lock that is held',
      "...(state === 'held' ? toFormerIdentity(owner) : {})",
      '',
    ],
  ]),
  ...bugsIn(
    'service',
    'activities/service/tokens/token-source.ts',
    'test/activities/service/tokens/sign-out.test.ts',
    [
      [
        'signing out leaves the refresh token valid',
        '[record.refreshToken, record.accessToken]',
        '[record.accessToken]',
      ],
    ],
  ),
];
