// Signing in, and what somebody may not do.

export const access = {
  signInFirst: 'Sign in first.',
  needsRole: (role: string) => `This needs the role "${role}", which you do not have here.`,
  noPassword: 'Nobody signs in with a password here.',
  throughProxy:
    'This came through a proxy, and nobody signs in here. An operator sets up signing in: docs/console.md.',
  oldHttp:
    'This was asked in HTTP/1.0, as proxies do, and nobody signs in here. An operator sets up signing in: ' +
    'docs/console.md.',
  tooManyTries: (minutes: number) => `Too many tries. Again in ${minutes} minutes.`,
  manySignIn: 'Many are signing in just now. Try again.',
  notRight: 'Name or password are not right.',
};
