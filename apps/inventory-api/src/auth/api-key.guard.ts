import { Inject, Injectable, UnauthorizedException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { IS_PUBLIC } from './public.decorator.js';

/** Injection token of the key that requests need. */
export const API_KEY = Symbol('API_KEY');

/** Guards the whole API: only requests with the key in the header `x-api-key` are let in, unless the route is public. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    @Inject(API_KEY) private readonly key: string,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.getAllAndOverride<boolean>(IS_PUBLIC, [context.getHandler(), context.getClass()])) return true;
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string | undefined> }>();
    if (headers['x-api-key'] !== this.key) throw new UnauthorizedException('The header x-api-key is missing or wrong.');
    return true;
  }
}
