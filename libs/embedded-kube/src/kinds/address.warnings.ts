import { isIP, isIPv6 } from 'node:net';
import { readAddress, writeAddress } from '../common/network.address.js';
import { addressOf } from './validation/text.rules.js';

/** Warns of an address that later versions refuse, or would write in another way. */
export function warnOfAddress(path: string, text: string): readonly string[] {
  const address = addressOf(text);
  if (address === undefined) return [];
  const mapped = isIPv6(address) ? mappedAddress(address) : undefined;
  if (isIP(text) === 0 || mapped) {
    return [`${path}: non-standard IP address "${text}" is invalid: use "${mapped ?? address}"`];
  }
  const usual = writeAddress(readAddress(text));
  return usual === text ? [] : [`${path}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${usual}")`];
}

/** Returns the address of version 4 that one of version 6 stands for. */
function mappedAddress(address: string): string | undefined {
  return /^(?:0{0,4}:)*:?ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1];
}
