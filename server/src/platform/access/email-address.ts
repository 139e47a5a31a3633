/**
 * The form in which addresses are stored and compared. Canonically equal characters become the same ones; look-alikes
 * of other scripts stay different, as they are for mail servers.
 */
export function foldEmail(address: string): string {
  return address.trim().normalize("NFC").toLowerCase();
}
