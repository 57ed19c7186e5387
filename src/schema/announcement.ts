// What announce left on the thread; goes from the gate's job to the one that publishes, so it is data with a version.
import { z } from 'zod';

export const announcementSchema = z.object({
  version: z.literal(1),
  /** The progress comment, by its node id where only GraphQL has it; null where there is none. */
  commentId: z.union([z.number(), z.string()]).nullable(),
  /** ISO time; durations that people read are counted from here. */
  startedAt: z.string(),
  warnings: z.array(z.string()).readonly(),
});
export type Announcement = Readonly<z.infer<typeof announcementSchema>>;
