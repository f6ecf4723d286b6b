// The API describes itself, all of it, from what the server checks by.
import { ROUTES } from '../../../../client/console/contract/routes';
import { openServer } from './server-bed';

test('every route is described, with its roles, its parameters and what is told instead', async () => {
  const bed = await openServer({ prefix: '/bridge' });
  try {
    const described = JSON.parse(await (await bed.ask('/bridge/api/openapi.json')).text());
    const keys = Object.entries(described.paths as Record<string, object>).flatMap(([path, operations]) =>
      Object.keys(operations).map(
        method => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      ),
    );
    expect(keys.sort()).toEqual(Object.keys(ROUTES).sort());
    expect(described).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: '/bridge' }],
      components: { schemas: { Problem: { required: ['text'] } } },
    });
    const job = described.paths['/api/jobs/{share}/{job}'].get;
    expect(job.description).toBe('Needs the role "see".');
    expect(job.parameters.map(({ name, in: place }: { name: string; in: string }) => [place, name])).toEqual([
      ['path', 'share'],
      ['path', 'job'],
    ]);
    const signIn = described.paths['/api/sign-in'].post;
    expect(signIn.parameters).toMatchObject([{ in: 'header', name: 'x-drawbridge-csrf', required: true }]);
    expect(signIn.requestBody.content['application/json'].schema.required).toEqual(['name', 'password']);
  } finally {
    await bed.close();
  }
});
