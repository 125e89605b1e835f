package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// commentsRule requires a comment on every exported name of a library. The comment starts with the
// name; for a type an article may precede it. A group of constants or variables needs one comment
// for the group or one for each name.
func commentsRule() rule {
	return everyFile("comments", func(f *file) (breaches []breach) {
		if f.test || f.command() {
			return nil
		}
		for _, d := range f.syntax.Decls {
			breaches = append(breaches, uncommented(f, d)...)
		}
		return breaches
	})
}

func uncommented(f *file, decl ast.Decl) []breach {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return commented(f, "func ", []*ast.Ident{d.Name}, d.Doc)
		}
		if ast.IsExported(receiver(d)) {
			return commented(f, "method "+receiver(d)+".", []*ast.Ident{d.Name}, d.Doc)
		}
	case *ast.GenDecl:
		grouped := d.Lparen.IsValid()
		var breaches []breach
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				doc := s.Doc
				if !grouped {
					doc = d.Doc
				}
				breaches = append(breaches, commented(f, "type ", []*ast.Ident{s.Name}, doc, "A ", "An ", "The ")...)
			case *ast.ValueSpec:
				if !grouped {
					breaches = append(breaches, commented(f, d.Tok.String()+" ", s.Names, d.Doc)...)
				} else if d.Doc.Text() == "" {
					breaches = append(breaches, groupMember(f, d.Tok, s)...)
				}
			}
		}
		return breaches
	}
	return nil
}

// commented checks the comment of a declaration of names. The comment may start with any of the
// names, optionally after one of the articles. kind precedes the name in reports.
func commented(f *file, kind string, names []*ast.Ident, doc *ast.CommentGroup, articles ...string) []breach {
	i := slices.IndexFunc(names, func(n *ast.Ident) bool { return n.IsExported() })
	if i < 0 {
		return nil
	}
	name, text := names[i], doc.Text()
	called := kind + name.Name
	if text == "" {
		return []breach{f.breach(name.Pos(), "exported "+called+" has no comment",
			fmt.Sprintf(`say what it is: "%s ..."`, name.Name))}
	}
	for _, n := range names {
		for _, article := range append(articles, "") {
			if startsWith(text, article+n.Name) {
				return nil
			}
		}
	}
	return []breach{f.breach(name.Pos(), "the comment of "+called+" does not start with its name",
		fmt.Sprintf(`begin it with "%s"`, name.Name))}
}

// groupMember checks one line of a group that has no group comment.
func groupMember(f *file, tok token.Token, s *ast.ValueSpec) []breach {
	i := slices.IndexFunc(s.Names, func(n *ast.Ident) bool { return n.IsExported() })
	if i < 0 || s.Doc.Text() != "" || s.Comment.Text() != "" {
		return nil
	}
	return []breach{f.breach(s.Pos(), fmt.Sprintf("exported %s %s has no comment, nor has its group", tok, s.Names[i].Name),
		"comment the group")}
}

// receiver returns the name of d's receiver type.
func receiver(d *ast.FuncDecl) string {
	for e := d.Recv.List[0].Type; ; {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr: // T[A]
			e = x.X
		case *ast.IndexListExpr: // T[A, B]
			e = x.X
		default:
			return ""
		}
	}
}
