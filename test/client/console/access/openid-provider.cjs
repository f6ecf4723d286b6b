// A real provider of OpenID Connect, in this process: whoever asks is the name that they type.
const { once } = require('node:events');
const { createServer } = require('node:http');
const { Provider } = require('oidc-provider');

/** `host`: as browsers name it. */
exports.startProvider = async (port, secret, back, host = '127.0.0.1') => {
  const findAccount = (_context, sub) => ({
    accountId: sub,
    claims: () => ({
      sub,
      email: `${sub}@example.com`,
      email_verified: true,
      name: 'Anna Novák',
      groups: ['control'],
    }),
  });
  const provider = new Provider(`http://${host}:${port}`, {
    clients: [{ client_id: 'page', client_secret: secret, redirect_uris: [back] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    findAccount,
    cookies: { keys: ['key of the test'] },
  });
  const server = createServer(provider.callback()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
};
