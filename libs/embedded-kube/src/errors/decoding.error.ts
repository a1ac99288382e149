/** Says that a value cannot be decoded into the field's type. */
export class DecodingError extends Error {
  override readonly name = 'DecodingError';
}
