// Every command by name, with what `--help` says of it. What it takes and does is loaded when it is
// called: a process that loads all of them reads 1,700 files before it begins.
import type { AddCommand } from './session/command';

interface ListedCommand {
  readonly name: string;
  readonly description: string;
  /** Its arguments in commander's notation, each with what it means. */
  readonly takes?: Readonly<Record<string, string>>;
  readonly load: () => AddCommand;
}

export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'run',
    description:
      'start everything in this terminal: Temporal, the service or its stand-in, a worker, the watcher',
    load: () => {
      const create = (require('./commands/processes/run') as typeof import('./commands/processes/run'))
        .createRunCommand;
      // Passed in here, since the code of `run` and that of the page do not import each other. The page is
      // loaded only when it is started, so that loading it does not hold up the other servers.
      return create(input =>
        (require('./console/console') as typeof import('./console/console')).startConsole(input),
      );
    },
  },
  {
    name: 'watch',
    description: 'run the watcher of the configured shares',
    load: () =>
      (require('./commands/processes/worker') as typeof import('./commands/processes/worker'))
        .addWatchCommand,
  },
  {
    name: 'worker',
    description: 'run a worker; any number of them may run, on any number of machines',
    load: () =>
      (require('./commands/processes/worker') as typeof import('./commands/processes/worker'))
        .addWorkerCommand,
  },
  {
    name: 'sandbox',
    description: 'run the stand-in service by itself',
    load: () =>
      (require('./commands/processes/sandbox') as typeof import('./commands/processes/sandbox'))
        .addSandboxCommand,
  },
  {
    name: 'check',
    description:
      'a test run of a folder: what would become of each file; of single files, their names. Changes nothing',
    takes: {
      '[files...]': 'a folder to test; or files and names to come (default: names in the drop folder)',
    },
    load: () => (require('./commands/check') as typeof import('./commands/check')).addCheckCommand,
  },
  {
    name: 'register',
    description: 'registers: sheets that list files and give their values',
    load: () => (require('./commands/register') as typeof import('./commands/register')).addRegisterCommands,
  },
  {
    name: 'submit',
    description: 'carry files in now; files from elsewhere are copied into the drop folder first',
    takes: { '<files...>': 'files, or folders of the drop folder' },
    load: () => (require('./commands/submit') as typeof import('./commands/submit')).addSubmitCommand,
  },
  {
    name: 'status',
    description: 'show what is away, the batches and other runs, newest first, and what waits for a person',
    load: () => (require('./commands/status') as typeof import('./commands/status')).addStatusCommand,
  },
  {
    name: 'doctor',
    description: 'look at everything once, change nothing, and say what is wrong and what to do',
    load: () =>
      (require('./doctor/doctor-command') as typeof import('./doctor/doctor-command')).addDoctorCommand,
  },
  {
    name: 'explain',
    description: 'show what became of a document: every revision that was sent of it, when, and from where',
    takes: { '<document>': 'a file, its SHA-256 or name, or a Number, an upload id or a revision id' },
    load: () =>
      (require('./explain/explain-document') as typeof import('./explain/explain-document'))
        .addExplainCommand,
  },
  {
    name: 'proof',
    description: 'write what became of a finished job into one signed file that others can verify',
    takes: { '<job>': "the name of the job's folder in done/ or attention/" },
    load: () =>
      (require('./proof/proof-commands') as typeof import('./proof/proof-commands')).addProofCommand,
  },
  {
    name: 'verify',
    description: 'verify a proof: everything that was changed, added or lost is named',
    takes: { '<file>': 'a proof, as `drawbridge proof` writes it' },
    load: () =>
      (require('./proof/proof-commands') as typeof import('./proof/proof-commands')).addVerifyCommand,
  },
  {
    name: 'scorecard',
    description:
      'show what the analysis of the service is worth: how often it finds what, and how long it takes',
    load: () =>
      (require('./scorecard/scorecard-command') as typeof import('./scorecard/scorecard-command'))
        .addScorecardCommand,
  },
  {
    name: 'answer',
    description: 'answer for held documents: give missing values, or decide about a conflict',
    takes: {
      '<batch>': 'batch id, as `status` shows it, or the name of a job: all its batches',
      '[documents...]': 'their paths or file names; in a batch their numbers as well',
    },
    load: () => (require('./commands/answer') as typeof import('./commands/answer')).addAnswerCommand,
  },
  {
    name: 'resume',
    description: 'list what stopped short and continue it; what is finished is not done again',
    takes: { '[batch]': 'only this batch, as `status` shows it' },
    load: () => (require('./commands/resume') as typeof import('./commands/resume')).addResumeCommand,
  },
  {
    name: 'config',
    description: 'check the configuration, or print what takes effect',
    load: () => (require('./commands/config') as typeof import('./commands/config')).addConfigCommand,
  },
  {
    name: 'console',
    description: 'serve the page: what is on its way, what waits, what went wrong',
    load: () =>
      (require('./console/console-command') as typeof import('./console/console-command')).addConsoleCommand,
  },
  {
    name: 'change-orders',
    description: 'make or continue change orders',
    load: () =>
      (require('./commands/change-orders') as typeof import('./commands/change-orders'))
        .addChangeOrderCommands,
  },
  {
    name: 'observations',
    description: 'make observations and carry them to closed',
    load: () =>
      (require('./commands/observations') as typeof import('./commands/observations')).addObservationCommands,
  },
  {
    name: 'login',
    description: 'sign in at the service: in the browser as a person, or check a service account',
    load: () => (require('./commands/sign-in') as typeof import('./commands/sign-in')).addLoginCommand,
  },
  {
    name: 'logout',
    description: 'end the login at the service and forget its tokens here',
    load: () => (require('./commands/sign-in') as typeof import('./commands/sign-in')).addLogoutCommand,
  },
  {
    name: 'whoami',
    description: 'show who is signed in, and where',
    load: () => (require('./commands/sign-in') as typeof import('./commands/sign-in')).addWhoamiCommand,
  },
  {
    name: 'users',
    description: 'people of a project, and their permission templates',
    load: () => (require('./commands/users') as typeof import('./commands/users')).addUserCommands,
  },
  {
    name: 'webhooks',
    description: 'events of the service',
    load: () => (require('./commands/webhooks') as typeof import('./commands/webhooks')).addWebhookCommands,
  },
  {
    name: 'timesheets',
    description: 'timesheets from a time clock, and their approval',
    load: () =>
      (require('./commands/timesheets') as typeof import('./commands/timesheets')).addTimesheetCommands,
  },
];
