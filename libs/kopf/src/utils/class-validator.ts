import { createRequire } from 'node:module';

// It is CommonJS: if it was imported, Node would read and parse its hundred files once more, only to find out what they export.
const library = createRequire(import.meta.url)('class-validator') as typeof import('class-validator');

/** What is used of class-validator. */
export const {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  getMetadataStorage,
  validate,
  validateSync,
} = library;
