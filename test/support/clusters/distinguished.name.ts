import { IA5String, Utf8String } from 'asn1js';
import { AttributeTypeAndValue, RelativeDistinguishedNames } from 'pkijs';

const TYPES: Readonly<Record<string, string>> = { CN: '2.5.4.3', O: '2.5.4.10', E: '1.2.840.113549.1.9.1' };

/** Reads the name of a certificate's owner, as `CN=jane,O=developers,E=jane@example.com`. */
export function readDistinguishedName(text: string): RelativeDistinguishedNames {
  const typesAndValues = text.split(',').map((part) => {
    const [type, value] = part.split('=');
    const encoded = type === 'E' ? new IA5String({ value }) : new Utf8String({ value });
    return new AttributeTypeAndValue({ type: TYPES[type], value: encoded });
  });
  return new RelativeDistinguishedNames({ typesAndValues });
}
