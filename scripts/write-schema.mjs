// Writes docs/config.schema.json from the code that checks the config. Run by `npm run schema` after a build.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { toConfigJsonSchema } = require('../dist/workers/config/config-schema.js');

writeFileSync(
  new URL('../docs/config.schema.json', import.meta.url),
  `${JSON.stringify(toConfigJsonSchema(), null, 2)}\n`,
);
