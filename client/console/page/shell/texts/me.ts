// What a person may choose for this browser.
export const me = {
  title: 'You',
  kept: 'Kept in this browser only.',
  theme: 'Light or dark',
  themes: { system: 'As this device', light: 'Light', dark: 'Dark' },
  density: 'Height of rows',
  densities: { compact: 'Compact', normal: 'Normal', roomy: 'Roomy' },
  hour: 'Times',
  hours: { locale: 'As this device', h24: '16:20', h12: '4:20 pm' },
  keys: 'Single keys',
  keysOn: 'Keys without Ctrl act: N, A, /',
  roles: 'What you may do',
  role: { see: 'See', answer: 'See and answer', operate: 'See, answer and operate' },
  stillIn: 'You are still signed in.',
  tryAgain: 'Sign out again.',
  signOut: 'Sign out',
  version: 'Version',
} as const;
