import { SetMetadata } from '@nestjs/common';

export const IS_PUBLIC = 'isPublic';

/** Exempts a controller or a route from the key. */
export const Public = () => SetMetadata(IS_PUBLIC, true);
