import { ApiProperty } from '@nestjs/swagger';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The stock as it was at one time. */
@Entity()
export class Report {
  @ApiProperty()
  @PrimaryGeneratedColumn()
  id: number;

  @ApiProperty()
  @CreateDateColumn()
  time: Date;

  /** The number of items. */
  @ApiProperty()
  @Column('integer')
  items: number;

  /** The number of pieces, of all items together. */
  @ApiProperty()
  @Column('integer')
  quantity: number;
}
