//! Limits the nesting of a document before any recursive reader runs.
//!
//! The XML reader recurses once per nested element, and so do terms and guards: a few thousand levels overflow
//! the stack, which ends the process without a message. Nets have some ten levels, long guards some hundred.

use crate::PetriError;

/// Most nested elements.
const MOST_LEVELS: u32 = 400;

/// Returns an error if the nesting is deeper than in any net.
///
/// It finds tags as an XML reader does, with comments, character data and quotes. If the document is no XML it
/// may miscount, but the reader returns an error there as well.
pub(super) fn check(text: &str) -> Result<(), PetriError> {
    let bytes = text.as_bytes();
    let wrong = |at: usize, found: &str, expected: String| PetriError::Pnml {
        line: 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count() as u32,
        found: found.to_owned(),
        expected,
    };
    let (mut at, mut level) = (0, 0u32);
    while let Some(opened) = text[at..].find('<').map(|offset| at + offset) {
        let rest = &text[opened..];
        let behind = |end: &str| rest.find(end).map_or(text.len(), |found| opened + found + end.len());
        at = if rest.starts_with("<!--") {
            behind("-->")
        } else if rest.starts_with("<![CDATA[") {
            behind("]]>")
        } else if rest.starts_with("<?") {
            behind("?>")
        } else if rest.starts_with("<!") {
            let end = end_of_tag(bytes, opened, b"[>");
            // Entities can expand to elements that a scan of the text does not find.
            if bytes.get(end) == Some(&b'[') {
                let expected = "a DOCTYPE without declarations".to_owned();
                return Err(wrong(opened, "a DOCTYPE with declarations", expected));
            }
            end
        } else if rest.starts_with("</") {
            level = level.saturating_sub(1);
            opened + 2
        } else {
            let end = end_of_tag(bytes, opened, b">");
            if bytes.get(end.wrapping_sub(1)) != Some(&b'/') {
                level += 1;
            }
            if level > MOST_LEVELS {
                let found = format!("elements nested more than {MOST_LEVELS} deep");
                return Err(wrong(opened, &found, format!("at most {MOST_LEVELS}")));
            }
            end
        };
    }
    Ok(())
}

/// Returns the position of the first of these letters outside quotes; the end of the text if there is none.
fn end_of_tag(bytes: &[u8], from: usize, ends: &[u8]) -> usize {
    let mut quote = None;
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte == b'"' || byte == b'\'' => quote = Some(byte),
            None if ends.contains(&byte) => return at,
            None => {}
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        format!("<pnml>{}{}</pnml>", "<page>".repeat(levels), "</page>".repeat(levels))
    }

    #[test]
    fn what_is_nested_too_deep_is_refused_with_its_line() {
        assert_eq!(check(&nested(399)), Ok(()));
        for levels in [400, 3_000, 100_000] {
            let error = check(&format!("\n\n{}", nested(levels))).unwrap_err().to_string();
            assert!(error.starts_with("line 3: found elements nested more than 400 deep"), "{error}");
        }
    }

    #[test]
    fn only_open_elements_count() {
        let wide = format!("<pnml>{}</pnml>", "<a/><b c='/>' d=\"<'\"></b>".repeat(5_000));
        assert_eq!(check(&wide), Ok(()));
        let hidden = format!("<pnml><!--{0}--><![CDATA[{0}]]><?x {0}?></pnml>", "<a>".repeat(5_000));
        assert_eq!(check(&hidden), Ok(()));
        // Closing tags in comments and attribute values do not hide open elements.
        let comments = format!("<pnml>{}", "<a><!-- </a> -->".repeat(500));
        assert!(check(&comments).is_err());
        let quoted = format!("<pnml>{}", "<a b='</a>/'>".repeat(500));
        assert!(check(&quoted).is_err());
    }

    #[test]
    fn a_document_type_is_fine_but_for_declarations() {
        assert_eq!(check("<!DOCTYPE pnml SYSTEM \"net[>.dtd\"><pnml/>"), Ok(()));
        assert!(check("<!DOCTYPE pnml [<!ENTITY e '<a>'>]><pnml>&e;</pnml>").is_err());
    }

    #[test]
    fn every_beginning_of_a_document_is_looked_at_without_panic() {
        let text = "<!DOCTYPE a 'ä'><?p?><!--c--><![CDATA[x]]><a b=\"ü\">é</a>";
        for (end, _) in text.char_indices() {
            let _ = check(&text[..end]);
        }
    }
}
