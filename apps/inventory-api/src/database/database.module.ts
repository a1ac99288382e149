import type { DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
// SQLite in WebAssembly, without a file beside it: nothing is compiled when it is installed, and it can be bundled.
import initSqlJs from 'sql.js/dist/sql-wasm-inline.js';

/** Connects to the database in the process. @param location the file that keeps it; without one, it is lost with the process. */
export function connectDatabase(location?: string): DynamicModule {
  return TypeOrmModule.forRoot({
    type: 'sqljs',
    driver: initSqlJs,
    autoLoadEntities: true,
    synchronize: true,
    ...(location !== undefined && { location, autoSave: true }),
  });
}
