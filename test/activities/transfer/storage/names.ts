// The name of a storage leads where a test says, and a connection to it is refused once its name is looked
// up: nothing goes out.
import dns from 'node:dns';
import { type LookupFunction, Socket } from 'node:net';
import tls from 'node:tls';

/** Until jest restores its spies. The names whose addresses were taken to connect to. */
export function leadNamesTo(address: string): readonly string[] {
  const connected: string[] = [];
  jest
    .spyOn(dns, 'lookup')
    .mockImplementation(((
      _name: string,
      _options: object,
      callback: (error: null, addresses: dns.LookupAddress[]) => void,
    ) => callback(null, [{ address, family: 4 }])) as never);
  jest.spyOn(tls, 'connect').mockImplementation(((options: { host: string; lookup?: LookupFunction }) => {
    const socket = new Socket();
    const lookup = options.lookup ?? (dns.lookup as LookupFunction);
    lookup(options.host, { all: true }, error => {
      if (error === null) connected.push(options.host);
      socket.destroy(error ?? Object.assign(new Error('Nothing goes out here.'), { code: 'EHOSTUNREACH' }));
    });
    return socket;
  }) as never);
  return connected;
}
