// `npm run drawbridge -- <command>`: the command line, built first when it is not up to date.
import { createRequire } from 'node:module';

import { build, PROGRAM_FOLDERS } from './build.mjs';

const require = createRequire(import.meta.url);

try {
  build({ folders: PROGRAM_FOLDERS });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const { prepareProcess, main, endProcess } = require('../dist/client/main.js');
prepareProcess();
await endProcess(await main(process.argv.slice(2), 'npm run --silent drawbridge --'));
